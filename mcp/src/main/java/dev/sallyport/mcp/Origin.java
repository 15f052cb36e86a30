package dev.sallyport.mcp;

import dev.sallyport.spi.RequestContext;

/**
 * A workload and a server: everything remembered of a server is remembered for such a pair.
 *
 * @param workload empty when the proxy knows only one
 * @param authority host and port of the server
 */
record Origin(String workload, String authority) {

    static Origin of(RequestContext context) {
        return new Origin(
                context.connection().principal().workload(),
                context.destination().authority());
    }
}
