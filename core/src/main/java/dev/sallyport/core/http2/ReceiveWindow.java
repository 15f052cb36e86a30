package dev.sallyport.core.http2;

/**
 * The flow-control window that this side grants a peer, for one stream or for a connection (RFC 9113, 5.2). Credit is
 * returned in portions of at least half the window. Confined to the connection's loop.
 */
public final class ReceiveWindow {

    private final int size;
    private int available;
    private int unreturned;

    /** A window of {@code size} bytes, all of them available. */
    public ReceiveWindow(int size) {
        this.size = size;
        this.available = size;
    }

    /** Charges a DATA frame, padding included; false when the peer has exceeded the window. */
    public boolean take(int bytes) {
        available -= bytes;
        return available >= 0;
    }

    /** Returns credit for consumed bytes; the result is the increment to send now, which may be 0. */
    public int giveBack(int bytes) {
        unreturned += bytes;
        if (unreturned < size / 2) {
            return 0;
        }
        int increment = unreturned;
        unreturned = 0;
        available += increment;
        return increment;
    }

    /** Bytes that have arrived and have not been consumed. */
    public int backlog() {
        return size - available - unreturned;
    }

    /** Whether the peer may send. */
    public boolean isOpen() {
        return available > 0;
    }
}
