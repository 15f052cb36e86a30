package dev.sallyport.core.upstream;

import dev.sallyport.spi.Destination;

/**
 * The route of an exchange to its destination. Only exchanges with equal routes share connections, but for the client.
 *
 * @param destination the destination
 * @param workload the workload whose traffic it is; tenants share no connections
 * @param client on whose behalf it is: exchanges for which this is the same object, and no others, have one share of the
 *     connections to an origin. Routes that differ in this alone share connections
 * @param guarded whether the dial guard applies: true for destinations that a workload chose, false for those that the
 *     operator configured
 * @param versions the versions of HTTP that may be used
 * @param nearOnly whether only loopback, private and link-local addresses may be used, because the exchange carries a
 *     credential that may not travel without TLS
 * @param fresh whether to dial anew instead of using a pooled connection (for the one retry)
 * @param connected whether a parent proxy, if any, must open a tunnel even where it could forward the request: the
 *     exchange switches protocols, does not use HTTP/1.1, or would be echoed by its recipient
 */
public record Route(
        Destination destination,
        String workload,
        Object client,
        boolean guarded,
        Versions versions,
        boolean nearOnly,
        boolean fresh,
        boolean connected) {

    private static final Object OPERATOR = new Object();

    /** The versions of HTTP that may be used. */
    public enum Versions {
        /** HTTP/2 or HTTP/1.1, as negotiated in the TLS handshake; HTTP/1.1 in cleartext. */
        NEGOTIATED,
        /** HTTP/1.1 alone: for an exchange that asks for an upgrade. */
        HTTP_1_1,
        /** As {@link #HTTP_1_1}; each half of the connection can end by itself, also over TLS. */
        HTTP_1_1_IN_HALVES,
        /**
         * As {@link #NEGOTIATED}, but in cleartext HTTP/2 by prior knowledge, and HTTP/1.1 where the origin does not
         * speak it.
         */
        PRIOR_KNOWLEDGE;

        /** Whether it must be HTTP/1.1. */
        boolean isHttp1Alone() {
            return this == HTTP_1_1 || this == HTTP_1_1_IN_HALVES;
        }
    }

    /** A route that a workload chose. */
    public static Route chosenByWorkload(Destination destination, String workload, Object client) {
        return new Route(destination, workload, client, true, Versions.NEGOTIATED, false, false, false);
    }

    /** A route that the operator configured. */
    public static Route configured(Destination destination) {
        return new Route(destination, "", OPERATOR, false, Versions.HTTP_1_1, false, false, false);
    }

    /**
     * The same route over HTTP/1.1, which alone can switch protocols (RFC 9110, 7.8; through a proxy RFC 6455, 4.1).
     */
    public Route overHttp1() {
        return new Route(destination, workload, client, guarded, Versions.HTTP_1_1, nearOnly, fresh, true);
    }

    /** The same as {@link #overHttp1}, on a connection of which each half can end by itself. */
    public Route overHttp1InHalves() {
        return new Route(destination, workload, client, guarded, Versions.HTTP_1_1_IN_HALVES, nearOnly, fresh, true);
    }

    /** The same route for a client that speaks HTTP/2 by prior knowledge. */
    public Route withPriorKnowledge() {
        return new Route(destination, workload, client, guarded, Versions.PRIOR_KNOWLEDGE, nearOnly, fresh, true);
    }

    /** The same route on a connection with the destination, even through a parent proxy. */
    public Route throughConnection() {
        return new Route(destination, workload, client, guarded, versions, nearOnly, fresh, true);
    }

    /** The same route to near addresses only. */
    public Route toNearAddresses() {
        return new Route(destination, workload, client, guarded, versions, true, fresh, connected);
    }

    /** The same route on a new connection. */
    public Route onFreshConnection() {
        return new Route(destination, workload, client, guarded, versions, nearOnly, true, connected);
    }
}
