package dev.sallyport.core.upstream;

import dev.sallyport.spi.Destination;

/** What exchanges must have in common to share connections; the loop is that of the pool. */
record PoolKey(Destination destination, String workload, boolean guarded, boolean http1Only) {

    static PoolKey of(Route route) {
        return new PoolKey(route.destination(), route.workload(), route.guarded(), route.http1Only());
    }
}
