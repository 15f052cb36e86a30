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

    /**
     * Whether rules can match what the tunnel may lead to: as {@link RuleSet#reachesThrough}; but as {@link
     * RuleSet#reaches} where a request inside is judged anew after the policy has changed, since its name is known.
     */
    default boolean mayReach(RuleSet rules) {
        return rules.reachesThrough(target());
    }

    /** This transform's entry in the audit record, if the tunnel gets one. */
    Trace trace();

    /** As {@link Trace#verdict}, without an entry for a transform that has nothing else to note. */
    default void verdict(GateVerdict verdict) {
        trace().verdict(verdict);
    }
}
