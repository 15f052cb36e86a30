package dev.sallyport.core.http2;

/**
 * The SETTINGS of a peer (RFC 9113, 6.5.2): initial values, updated by its frames. Confined to the connection's loop.
 */
public final class PeerSettings {

    private static final int MAX_FRAME_LIMIT = 0xff_ffff;

    /** Which side the peer is on. */
    public enum Peer {
        CLIENT,
        /** It must not enable push. */
        SERVER
    }

    private final Peer peer;
    private int initialWindow = FrameWriter.INITIAL_WINDOW;
    private int appliedWindow = FrameWriter.INITIAL_WINDOW;
    private int maxConcurrentStreams = Integer.MAX_VALUE;
    private long maxHeaderListBytes = Long.MAX_VALUE;
    private boolean connectProtocol;

    /** The values before any SETTINGS frame. */
    public PeerSettings(Peer peer) {
        this.peer = peer;
    }

    /**
     * Applies one setting. Ignores unknown ones and a larger frame size, because large frames would let one stream
     * delay others.
     */
    void set(int id, long value) throws ConnectionErrorException {
        switch (id) {
            case FrameWriter.SETTINGS_ENABLE_PUSH -> {
                if (value > (peer == Peer.CLIENT ? 1 : 0)) {
                    throw ConnectionErrorException.protocol(
                            peer == Peer.CLIENT
                                    ? "SETTINGS_ENABLE_PUSH is neither 0 nor 1"
                                    : "SETTINGS_ENABLE_PUSH of a server is not 0");
                }
            }
            case FrameWriter.SETTINGS_MAX_CONCURRENT_STREAMS ->
                maxConcurrentStreams = (int) Math.min(value, Integer.MAX_VALUE);
            case FrameWriter.SETTINGS_INITIAL_WINDOW_SIZE -> {
                if (value > Integer.MAX_VALUE) {
                    throw ConnectionErrorException.flowControl("SETTINGS_INITIAL_WINDOW_SIZE is out of range");
                }
                initialWindow = (int) value;
            }
            case FrameWriter.SETTINGS_MAX_FRAME_SIZE -> {
                if (value < FrameReader.MAX_FRAME || value > MAX_FRAME_LIMIT) {
                    throw ConnectionErrorException.protocol("SETTINGS_MAX_FRAME_SIZE is out of range");
                }
            }
            case FrameWriter.SETTINGS_MAX_HEADER_LIST_SIZE -> maxHeaderListBytes = value;
            case FrameWriter.SETTINGS_ENABLE_CONNECT_PROTOCOL -> {
                if (value > 1) {
                    throw ConnectionErrorException.protocol("SETTINGS_ENABLE_CONNECT_PROTOCOL is neither 0 nor 1");
                }
                connectProtocol = value == 1;
            }
            default -> {}
        }
    }

    /** The window of a new stream, in bytes. */
    public int initialWindow() {
        return initialWindow;
    }

    /** The change of open streams' windows since the last call (RFC 9113, 6.9.2). */
    public int takeWindowChange() {
        int change = initialWindow - appliedWindow;
        appliedWindow = initialWindow;
        return change;
    }

    /** How many streams this side may have open. */
    public int maxConcurrentStreams() {
        return maxConcurrentStreams;
    }

    /** The longest field section that the peer accepts: names, values, and 32 bytes for each line. */
    public long maxHeaderListBytes() {
        return maxHeaderListBytes;
    }

    /** Whether the peer accepts an extended CONNECT (RFC 8441, 3). */
    public boolean connectProtocol() {
        return connectProtocol;
    }
}
