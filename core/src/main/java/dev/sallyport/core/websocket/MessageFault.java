package dev.sallyport.core.websocket;

/** Why messages of one direction cannot go on. It never quotes them. */
public final class MessageFault extends Exception {

    private static final long serialVersionUID = 1L;

    private final int closeCode;

    MessageFault(int closeCode, String message) {
        super(message, null, false, false);
        this.closeCode = closeCode;
    }

    static MessageFault protocol(String message) {
        return new MessageFault(1002, message);
    }

    /** What the sender is told (RFC 6455, 7.4.1). */
    public int closeCode() {
        return closeCode;
    }

    /** What happened. */
    public String text() {
        return String.valueOf(getMessage());
    }
}
