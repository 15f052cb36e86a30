package dev.sallyport.spi;

/** A requested tunnel. Implemented by the engine and the test kit; valid during the call. */
public interface ConnectContext {

    /** See {@link RequestContext#exchangeId()}. */
    String exchangeId();

    /** The connection. */
    Connection connection();

    /**
     * The stated target. When it is an address literal, the decisive name is not yet known
     * (see {@link Destination#literal()}).
     */
    Destination target();

    /** This transform's entry in the audit record, if the tunnel gets one. */
    Trace trace();
}
