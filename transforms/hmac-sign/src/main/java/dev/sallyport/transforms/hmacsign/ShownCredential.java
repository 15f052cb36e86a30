package dev.sallyport.transforms.hmacsign;

import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Credential;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.RedactResponse;
import dev.sallyport.spi.Secret;
import dev.sallyport.spi.SecretValue;
import dev.sallyport.toolkit.secret.DerivedValue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A credential that templates may show, as declared to the engine; one object for each value. Thread-safe. */
final class ShownCredential {

    private final String name;
    private final Secret secret;
    private final @Nullable RedactResponse when;
    private final Predicate<Destination> reach;
    private final BuildContext context;
    private final DerivedValue<Credential> credential;

    ShownCredential(
            String name,
            Secret secret,
            @Nullable RedactResponse when,
            Predicate<Destination> reach,
            BuildContext context) {
        this.name = name;
        this.secret = secret;
        this.when = when;
        this.reach = reach;
        this.context = context;
        this.credential = new DerivedValue<>(context, this::look, secret);
    }

    Secret secret() {
        return secret;
    }

    /** The current value; null when there is none. */
    @Nullable Credential current() {
        return credential.current();
    }

    private Credential look() {
        SecretValue value = secret.value();
        if (value.length() < Credential.MIN_LENGTH && when != RedactResponse.OFF) {
            context.warn(
                    "/credentials/" + name,
                    "the value has fewer than " + Credential.MIN_LENGTH
                            + " bytes and is not removed from responses; set redact_response: off if this is intended");
        }
        return Credential.of(secret.name(), value.bytes())
                .redact(when)
                .from("credentials." + name)
                .within(reach);
    }

    @Override
    public String toString() {
        return "ShownCredential[" + name + "]";
    }
}
