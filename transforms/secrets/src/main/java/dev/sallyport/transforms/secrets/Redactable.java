package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.SecretValue;
import dev.sallyport.toolkit.redact.Redactor;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** An entry whose value must not come back. Thread-safe. */
final class Redactable {

    private final Scoped entry;
    private final byte[] placeholder;
    private volatile Known known;

    /** What is known of a secret at one moment; equal only to itself. */
    static final class Known {

        private final Redactable of;
        private final long version;
        private final @Nullable SecretValue value;
        /** The one before, which may still be on its way. */
        private final @Nullable SecretValue previous;

        private Known(Redactable of, long version, @Nullable SecretValue value, @Nullable SecretValue previous) {
            this.of = of;
            this.version = version;
            this.value = value;
            this.previous = previous;
        }

        Redactable of() {
            return of;
        }

        @Nullable SecretValue value() {
            return value;
        }

        @Nullable SecretValue previous() {
            return previous;
        }

        /** Whether there is a value that is too short to be told from other text. */
        boolean isShort() {
            return value != null && value.length() < Redactor.MIN_LENGTH;
        }

        /** Whether there is a value that can be looked for. */
        boolean isFindable() {
            return value != null && !isShort();
        }

        @Override
        public String toString() {
            return "Known[" + version + "]";
        }
    }

    Redactable(Scoped entry) {
        this.entry = entry;
        this.placeholder = entry instanceof Replacement replacement
                ? replacement.config().proxyValue().getBytes(StandardCharsets.UTF_8)
                : Redactions.MARKER.getBytes(StandardCharsets.US_ASCII);
        this.known = new Known(this, 0, null, null);
    }

    Scoped entry() {
        return entry;
    }

    byte[] placeholder() {
        return placeholder;
    }

    /** What is known now; the same object as long as the value does not change. */
    Known known() {
        Known last = known;
        return last.version == entry.secret().version() ? last : look();
    }

    private synchronized Known look() {
        Known last = known;
        // The version first: a value that changes in between is then taken again.
        long version = entry.secret().version();
        if (last.version != version) {
            SecretValue value = entry.secret().available() ? entry.secret().value() : null;
            last = new Known(this, version, value, last.value == null ? last.previous : last.value);
            known = last;
        }
        return last;
    }

    @Override
    public String toString() {
        return "Redactable[" + entry.index() + "]";
    }
}
