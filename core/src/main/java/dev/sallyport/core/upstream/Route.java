package dev.sallyport.core.upstream;

import dev.sallyport.spi.Destination;

/**
 * How an exchange reaches its destination. Streams share connections only for equal routes.
 *
 * @param destination where to
 * @param workload whose traffic; tenants share no connections
 * @param guarded whether the dial guard applies: true for what a workload chose, false for what the operator configured
 * @param fresh whether to dial anew instead of using a pooled connection (for the one retry)
 * @param http1Only whether no other protocol may be agreed upon: only HTTP/1.1 can switch protocols (RFC 9110, 7.8)
 */
public record Route(Destination destination, String workload, boolean guarded, boolean fresh, boolean http1Only) {

    /** The route of a workload's own choice. */
    public static Route chosenByWorkload(Destination destination, String workload) {
        return new Route(destination, workload, true, false, false);
    }

    /** The route of something that the operator configured. */
    public static Route configured(Destination destination) {
        return new Route(destination, "", false, false, false);
    }

    /** The same route on a new connection. */
    public Route onFreshConnection() {
        return new Route(destination, workload, guarded, true, http1Only);
    }

    /** The same route over HTTP/1.1. */
    public Route overHttp1() {
        return new Route(destination, workload, guarded, fresh, true);
    }
}
