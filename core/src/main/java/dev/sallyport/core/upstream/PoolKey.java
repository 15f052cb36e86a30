package dev.sallyport.core.upstream;

import dev.sallyport.core.parent.Parents;
import dev.sallyport.core.upstream.Route.Versions;
import dev.sallyport.spi.Destination;

/** The properties that exchanges must share to share connections; the loop is that of the pool. */
record PoolKey(
        Destination destination,
        String workload,
        boolean guarded,
        Versions versions,
        boolean nearOnly,
        ParentRoute parentRoute) {

    static PoolKey of(Route route, Parents parents) {
        return new PoolKey(
                route.destination(),
                route.workload(),
                route.guarded(),
                effective(route.versions(), route.destination().secure()),
                route.nearOnly(),
                ParentRoute.of(route, parents));
    }

    /** Merges version preferences that are equivalent on this transport. */
    private static Versions effective(Versions asked, boolean secure) {
        return switch (asked) {
            case NEGOTIATED -> secure ? Versions.NEGOTIATED : Versions.HTTP_1_1;
            case HTTP_1_1 -> Versions.HTTP_1_1;
            case HTTP_1_1_IN_HALVES -> secure ? Versions.HTTP_1_1_IN_HALVES : Versions.HTTP_1_1;
            case PRIOR_KNOWLEDGE -> secure ? Versions.NEGOTIATED : Versions.PRIOR_KNOWLEDGE;
        };
    }
}
