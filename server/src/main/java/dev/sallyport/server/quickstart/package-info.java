/**
 * The quickstart: a demonstration on the loopback address, with a demo API that requires a key, a workload that does
 * not have it, and the proxy between them.
 *
 * <p>Starting points: {@link dev.sallyport.server.quickstart.Quickstart} starts everything,
 * {@link dev.sallyport.server.quickstart.SampleRequests} lists the requests, {@link dev.sallyport.server.quickstart.Checks} makes
 * them.
 */
@NullMarked
package dev.sallyport.server.quickstart;

import org.jspecify.annotations.NullMarked;
