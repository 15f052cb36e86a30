package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Credential;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.RedactResponse;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.spi.Secret;
import dev.sallyport.spi.SecretValue;
import java.lang.ref.WeakReference;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The credential of one entry, as declared to the engine: one object for each value. Thread-safe. */
final class EntryCredential {

    private static final Predicate<Destination> EVERYWHERE = Predicate.not(Set.<Destination>of()::contains);

    private final int index;
    private final String identity;
    private final Secret secret;
    private final byte @Nullable [] placeholder;
    private final @Nullable RedactResponse when;
    private final Predicate<Destination> reach;
    private final BuildContext context;
    /** Weak: a value that was deleted is not to stay in memory because it was once sent. */
    private volatile WeakReference<Known> known = new WeakReference<>(null);

    /** The version of the last value that was too short; 0 for none. */
    private long tooShort;

    private record Known(long version, Credential credential) {}

    /**
     * @param identity distinguishes the entry from others that use the same secret, independent of its position
     * @param placeholder the entry's placeholder, or null when it has none
     * @param when the entry's setting, or null
     * @param rules the entry's rules; null for all destinations
     */
    EntryCredential(
            int index,
            String identity,
            Secret secret,
            byte @Nullable [] placeholder,
            @Nullable RedactResponse when,
            @Nullable RuleSet rules,
            BuildContext context) {
        this.index = index;
        this.identity = identity;
        this.secret = secret;
        this.placeholder = placeholder;
        this.when = when;
        this.reach = rules == null ? EVERYWHERE : rules::reaches;
        this.context = context;
    }

    /** Whether the engine searches for it even in responses to requests that do not carry it. */
    boolean always() {
        return when == RedactResponse.ALWAYS;
    }

    /** The current value; the secret must be available. */
    Credential current() {
        Known last = known.get();
        return last != null && last.version == secret.version() ? last.credential : look();
    }

    private synchronized Credential look() {
        Known last = known.get();
        // Reads the version first, so that a value that changes in between is read again.
        long version = secret.version();
        if (last == null || last.version != version) {
            SecretValue value = secret.value();
            last = new Known(version, of(value.bytes(), ""));
            known = new WeakReference<>(last);
            if (value.length() < Credential.MIN_LENGTH && when != RedactResponse.OFF && version != tooShort) {
                tooShort = version;
                warn(version);
            }
        }
        return last.credential;
    }

    private void warn(long version) {
        if (context.keep(new ShortValues.Key(), ShortValues::new).isNew(secret.name(), version)) {
            context.warn(
                    "/secrets/" + index + "/redact_response",
                    "the value of " + secret.name() + " has fewer than " + Credential.MIN_LENGTH
                            + " bytes and is not removed from responses; set redact_response: off if this is intended");
        }
    }

    /**
     * Another text that reveals the value.
     *
     * @param form distinguishes it from others; empty for the value itself
     */
    Credential of(byte[] text, String form) {
        Credential credential = Credential.of(secret.name(), text)
                .redact(when)
                .from(identity + form)
                .within(reach);
        return placeholder == null ? credential : credential.placeholder(placeholder);
    }

    @Override
    public String toString() {
        return "EntryCredential[" + index + "]";
    }
}
