/**
 * The UNIX socket through which a control plane asks for VMs.
 *
 * <p>Starting points: {@link dev.sallyport.sandboxd.server.SocketServer}, {@code Dispatcher} (a request and its answer).
 */
@NullMarked
package dev.sallyport.sandboxd.server;

import org.jspecify.annotations.NullMarked;
