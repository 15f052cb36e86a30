package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Credential;
import dev.sallyport.spi.RedactResponse;
import dev.sallyport.spi.Secret;
import dev.sallyport.spi.SecretValue;
import org.jspecify.annotations.Nullable;

/** The credential of one entry, as the engine is told of it: one object for each value. Thread-safe. */
final class EntryCredential {

    private final int index;
    private final String identity;
    private final Secret secret;
    private final byte @Nullable [] placeholder;
    private final @Nullable RedactResponse when;
    private final BuildContext context;
    private volatile @Nullable Known known;

    private record Known(long version, Credential credential) {}

    /**
     * @param identity tells the entry from others that use the same secret, wherever it stands in the list
     * @param placeholder what stands for it, or null when it has none
     * @param when as the entry says, or null
     */
    EntryCredential(
            int index,
            String identity,
            Secret secret,
            byte @Nullable [] placeholder,
            @Nullable RedactResponse when,
            BuildContext context) {
        this.index = index;
        this.identity = identity;
        this.secret = secret;
        this.placeholder = placeholder;
        this.when = when;
        this.context = context;
    }

    /** Whether it is looked for in responses to requests that do not carry it, too. */
    boolean always() {
        return when == RedactResponse.ALWAYS;
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
            last = new Known(version, of(value.bytes(), ""));
            known = last;
            if (value.length() < Credential.MIN_LENGTH && when != RedactResponse.OFF) {
                context.warn(
                        "/secrets/" + index + "/redact_response",
                        "the value has less than " + Credential.MIN_LENGTH
                                + " bytes and is not taken out of responses; redact_response: off says that this is meant");
            }
        }
        return last.credential;
    }

    /**
     * Another text that tells the value.
     *
     * @param form tells it from others; empty for the value itself
     */
    Credential of(byte[] text, String form) {
        Credential credential = Credential.of(secret.name(), text).redact(when).from(identity + form);
        return placeholder == null ? credential : credential.placeholder(placeholder);
    }

    @Override
    public String toString() {
        return "EntryCredential[" + index + "]";
    }
}
