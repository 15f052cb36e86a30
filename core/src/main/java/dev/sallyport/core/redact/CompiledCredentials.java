package dev.sallyport.core.redact;

import dev.sallyport.spi.Credential;
import dev.sallyport.toolkit.redact.Redaction;
import dev.sallyport.toolkit.redact.Redactor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Credentials compiled for a search, with their transforms. Immutable; shared by exchanges. */
final class CompiledCredentials {

    private final Redactor redactor;
    private final List<String> stages;
    private final List<String> names;

    private CompiledCredentials(List<Redaction> redactions, List<String> stages, List<String> names) {
        this.redactor = Redactor.of(redactions);
        this.stages = List.copyOf(stages);
        this.names = List.copyOf(names);
    }

    /** @throws IllegalArgumentException when the values are too long in total */
    static CompiledCredentials of(CredentialSet set) {
        List<Redaction> redactions = new ArrayList<>();
        List<String> stages = new ArrayList<>();
        List<String> names = new ArrayList<>();
        // Of equal values the first counts: it has a placeholder, which the workload knows.
        for (boolean marked : new boolean[] {false, true}) {
            for (Map.Entry<Credential, String> entry : set.stages().entrySet()) {
                Credential secret = entry.getKey();
                if (secret.length() >= Credential.MIN_LENGTH && secret.isMarked() == marked) {
                    redactions.add(new Redaction(secret.value(), secret.placeholder()));
                    stages.add(entry.getValue());
                    names.add(secret.name());
                }
            }
        }
        return new CompiledCredentials(redactions, stages, names);
    }

    boolean isEmpty() {
        return redactor.isEmpty();
    }

    Redactor redactor() {
        return redactor;
    }

    /** The transform that put in the value with this index of the redactor. */
    String stage(int redaction) {
        return stages.get(redaction);
    }

    /** The name of the value's source. */
    String name(int redaction) {
        return names.get(redaction);
    }

    @Override
    public String toString() {
        return "Compiled" + names;
    }
}
