package dev.sallyport.core.http1;

/** A message whose end another reader might find elsewhere. */
public final class AmbiguousFramingException extends Exception {

    private static final long serialVersionUID = 1;

    private final String fault;

    AmbiguousFramingException(String fault) {
        super(fault, null, false, false);
        this.fault = fault;
    }

    /** The fault in the message; never a value. */
    public String fault() {
        return fault;
    }
}
