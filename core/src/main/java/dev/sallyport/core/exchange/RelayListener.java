package dev.sallyport.core.exchange;

/** Receives the events of a connection that is passed through. All calls on the exchange's loop. */
public interface RelayListener {

    /** The listener of a connection that was refused at once; it ignores all events. */
    RelayListener NONE = new RelayListener() {
        @Override
        public void gone(DisconnectReason why) {}

        @Override
        public void requestSeen() {}

        @Override
        public void ended(long fromClient, long fromOrigin, End end) {}
    };

    /** The client's connection has closed before it was coupled with its origin. Not called after a refusal. */
    void gone(DisconnectReason why);

    /**
     * What the client sends turns out to be HTTP or TLS, where neither is to be relayed unseen. No more of it goes on. The
     * relay is broken off, and its end reported as usual.
     */
    void requestSeen();

    /**
     * The relay is over, and both connections are closed or closing. Called once after {@link PassthroughClient#relay}.
     *
     * @param fromClient bytes that the client sent, its ClientHello included
     * @param fromOrigin bytes that the origin sent
     */
    void ended(long fromClient, long fromOrigin, End end);

    /** How a relay ends. */
    enum End {
        /** Both sides ended what they sent. */
        COMPLETE,
        /** Nothing was sent for too long. */
        IDLE,
        /** The client reset the connection. */
        CLIENT_RESET,
        /** The origin reset the connection. */
        ORIGIN_RESET,
        /** The proxy is shutting down. */
        CUT_OFF,
        /** A later policy refuses the target of the tunnel. */
        REFUSED
    }
}
