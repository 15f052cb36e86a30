package dev.sallyport.linux;

/** Something that this machine does not have; the message is the reason, for people. */
public final class UnavailableException extends Exception {

    private static final long serialVersionUID = 1L;

    public UnavailableException(String reason) {
        super(reason);
    }
}
