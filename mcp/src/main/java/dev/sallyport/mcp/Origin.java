package dev.sallyport.mcp;

import dev.sallyport.spi.RequestContext;

/**
 * Who talks with whom: what is remembered of a server is remembered for one of these.
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
