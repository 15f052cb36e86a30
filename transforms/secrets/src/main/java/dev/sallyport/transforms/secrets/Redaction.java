package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.SecretValue;
import dev.sallyport.toolkit.redact.Cover;
import dev.sallyport.toolkit.redact.Redactor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Some values that must not come back, compiled. Immutable; shared by all exchanges for which it is the same ones. */
final class Redaction {

    private final Redactor redactor;
    private final List<String> secrets;

    private Redaction(List<Cover> covers, List<String> secrets) {
        this.redactor = Redactor.of(covers);
        this.secrets = List.copyOf(secrets);
    }

    static Redaction of(List<Redactable.Known> values) {
        List<Cover> covers = new ArrayList<>(values.size());
        List<String> secrets = new ArrayList<>(values.size());
        for (Redactable.Known known : values) {
            add(known.of(), known.value(), covers, secrets);
        }
        for (Redactable.Known known : values) {
            add(known.of(), known.previous(), covers, secrets);
        }
        return new Redaction(covers, secrets);
    }

    private static void add(Redactable of, @Nullable SecretValue value, List<Cover> covers, List<String> secrets) {
        if (value != null && value.length() >= Redactor.MIN_LENGTH) {
            covers.add(new Cover(value.bytes(), of.placeholder()));
            secrets.add(of.entry().secret().name());
        }
    }

    Redactor redactor() {
        return redactor;
    }

    /** Whose value the redactor's cover of this index is. */
    String secret(int cover) {
        return secrets.get(cover);
    }

    @Override
    public String toString() {
        return "Redaction" + secrets;
    }
}
