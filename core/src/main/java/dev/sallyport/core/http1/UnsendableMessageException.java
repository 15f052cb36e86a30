package dev.sallyport.core.http1;

import org.jspecify.annotations.Nullable;

/**
 * A message that would be read differently from what was meant. The engine refuses such edits long before; its writers
 * are the last place to do so. The exception's message never quotes a value.
 */
public final class UnsendableMessageException extends IllegalArgumentException {

    private static final long serialVersionUID = 1;

    private final String fault;

    public UnsendableMessageException(String fault) {
        super(fault);
        this.fault = fault;
    }

    /** The fault in the message. */
    public String fault() {
        return fault;
    }

    static void throwIf(@Nullable String fault) {
        if (fault != null) {
            throw new UnsendableMessageException(fault);
        }
    }
}
