package dev.sallyport.spi;

/** A tunnel that is asked for. Implemented by the engine and the test kit; valid during the call. */
public interface ConnectContext {

    /** See {@link RequestContext#exchangeId()}. */
    String exchangeId();

    /** The connection. */
    Connection connection();

    /**
     * The stated target. When it is an address literal, the name that counts is still to come
     * (see {@link Destination#literal()}).
     */
    Destination target();

    /** This transform's entry in the audit record, should the tunnel get one. */
    Trace trace();
}
