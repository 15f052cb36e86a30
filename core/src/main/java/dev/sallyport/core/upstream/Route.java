package dev.sallyport.core.upstream;

import dev.sallyport.spi.Destination;

/**
 * How an exchange reaches its destination. Streams share connections only for equal routes.
 *
 * @param destination the destination
 * @param workload the workload whose traffic it is; tenants share no connections
 * @param guarded whether the dial guard applies: true for what a workload chose, false for what the operator configured
 * @param versions the versions of HTTP that may be used
 * @param nearOnly whether only loopback, private and link-local addresses may be used, because the exchange carries a
 *     credential that may not travel without TLS
 * @param fresh whether to dial anew instead of using a pooled connection (for the one retry)
 */
public record Route(
        Destination destination, String workload, boolean guarded, Versions versions, boolean nearOnly, boolean fresh) {

    /** The versions of HTTP that may be used. */
    public enum Versions {
        /** HTTP/2 or HTTP/1.1 as the TLS handshake decides; HTTP/1.1 in cleartext. */
        NEGOTIATED,
        /** HTTP/1.1 alone: for an exchange that asks for an upgrade. */
        HTTP_1_1,
        /**
         * As {@link #NEGOTIATED}, but in cleartext HTTP/2 by prior knowledge, and HTTP/1.1 where the origin does not
         * speak it.
         */
        PRIOR_KNOWLEDGE
    }

    /** A route that a workload chose. */
    public static Route chosenByWorkload(Destination destination, String workload) {
        return new Route(destination, workload, true, Versions.NEGOTIATED, false, false);
    }

    /** A route that the operator configured. */
    public static Route configured(Destination destination) {
        return new Route(destination, "", false, Versions.HTTP_1_1, false, false);
    }

    /** The same route over HTTP/1.1, which alone can switch protocols (RFC 9110, 7.8). */
    public Route overHttp1() {
        return new Route(destination, workload, guarded, Versions.HTTP_1_1, nearOnly, fresh);
    }

    /** The same route for a client that speaks HTTP/2 by prior knowledge. */
    public Route withPriorKnowledge() {
        return new Route(destination, workload, guarded, Versions.PRIOR_KNOWLEDGE, nearOnly, fresh);
    }

    /** The same route to near addresses only. */
    public Route toNearAddresses() {
        return new Route(destination, workload, guarded, versions, true, fresh);
    }

    /** The same route on a new connection. */
    public Route onFreshConnection() {
        return new Route(destination, workload, guarded, versions, nearOnly, true);
    }
}
