package dev.sallyport.transforms.hmacsign;

import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Credential;
import dev.sallyport.spi.RedactResponse;
import dev.sallyport.spi.Secret;
import dev.sallyport.spi.SecretValue;
import org.jspecify.annotations.Nullable;

/** A credential that templates may show, as the engine is told of it; one object for each value. Thread-safe. */
final class ShownCredential {

    private final String name;
    private final Secret secret;
    private final @Nullable RedactResponse when;
    private final BuildContext context;
    private volatile @Nullable Known known;

    private record Known(long version, Credential credential) {}

    ShownCredential(String name, Secret secret, @Nullable RedactResponse when, BuildContext context) {
        this.name = name;
        this.secret = secret;
        this.when = when;
        this.context = context;
    }

    Secret secret() {
        return secret;
    }

    /** The current value; the secret must be available. */
    Credential current() {
        Known last = known;
        return last != null && last.version == secret.version() ? last.credential : look();
    }

    private synchronized Credential look() {
        Known last = known;
        // The version first: a value that changes in between is then taken again.
        long version = secret.version();
        if (last == null || last.version != version) {
            SecretValue value = secret.value();
            Credential credential =
                    Credential.of(secret.name(), value.bytes()).redact(when).from("credentials." + name);
            last = new Known(version, credential);
            known = last;
            if (value.length() < Credential.MIN_LENGTH && when != RedactResponse.OFF) {
                context.warn(
                        "/credentials/" + name,
                        "the value has less than " + Credential.MIN_LENGTH
                                + " bytes and is not taken out of responses; redact_response: off says that this is meant");
            }
        }
        return last.credential;
    }

    @Override
    public String toString() {
        return "ShownCredential[" + name + "]";
    }
}
