package dev.sallyport.core.http1;

/** A message of which another reader might find another end. */
public final class AmbiguousFramingException extends Exception {

    private static final long serialVersionUID = 1;

    private final String fault;

    AmbiguousFramingException(String fault) {
        super(fault, null, false, false);
        this.fault = fault;
    }

    /** What is wrong with the message; never a value. */
    public String fault() {
        return fault;
    }
}
