/**
 * The quickstart: a whole scene on this machine's loopback address, made of a demo API that wants a key, a workload that
 * does not have it, and the proxy between them.
 *
 * <p>Starting points: {@link dev.sallyport.server.quickstart.Quickstart} sets the scene,
 * {@link dev.sallyport.server.quickstart.Tour} is what there is to try, {@link dev.sallyport.server.quickstart.Checks}
 * tries it.
 */
@NullMarked
package dev.sallyport.server.quickstart;

import org.jspecify.annotations.NullMarked;
