package dev.sallyport.core.websocket;

/** Why messages of one direction cannot go on. It never quotes them. */
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

    /** What the sender is told (RFC 6455, 7.4.1). */
    public int closeCode() {
        return closeCode;
    }

    /** Whether it lies in what was sent, and not in what the proxy could make of it. */
    public boolean isSenders() {
        return closeCode < INTERNAL_ERROR;
    }

    /** What happened. */
    public String text() {
        return String.valueOf(getMessage());
    }
}
