package dev.sallyport.core.websocket;

/** The reason why messages of one direction cannot pass. It never quotes them. */
public final class MessageException extends Exception {

    private static final long serialVersionUID = 1L;

    private static final int INTERNAL_ERROR = 1011;

    private final int closeCode;

    MessageException(int closeCode, String message) {
        super(message, null, false, false);
        this.closeCode = closeCode;
    }

    static MessageException protocol(String message) {
        return new MessageException(1002, message);
    }

    /** The status code of the close frame that the sender gets (RFC 6455, 7.4.1). */
    public int closeCode() {
        return closeCode;
    }

    /** Whether the sender is at fault, and not the proxy's processing. */
    public boolean isSenders() {
        return closeCode < INTERNAL_ERROR;
    }

    /** What happened. */
    public String text() {
        return String.valueOf(getMessage());
    }
}
