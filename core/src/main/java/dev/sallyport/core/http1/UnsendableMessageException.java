package dev.sallyport.core.http1;

import org.jspecify.annotations.Nullable;

/**
 * A message that would be read as something else than what was meant. The engine refuses such edits long before; its
 * writers are the last place to do so. The message never names a value.
 */
public final class UnsendableMessageException extends IllegalArgumentException {

    private static final long serialVersionUID = 1;

    private final String fault;

    public UnsendableMessageException(String fault) {
        super(fault);
        this.fault = fault;
    }

    /** What is wrong with the message. */
    public String fault() {
        return fault;
    }

    static void throwIf(@Nullable String fault) {
        if (fault != null) {
            throw new UnsendableMessageException(fault);
        }
    }
}
