/**
 * The packaged proxy: command line, wiring, plug-ins from a folder, health, logs, quickstart.
 *
 * <p>Starting points: {@link dev.sallyport.server.Main} reads the command line,
 * {@link dev.sallyport.server.ServerModule} wires a server, {@link dev.sallyport.server.Server} is its life cycle.
 */
@NullMarked
package dev.sallyport.server;

import org.jspecify.annotations.NullMarked;
