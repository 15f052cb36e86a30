/**
 * The packaged proxy: command line, wiring, plug-ins from a folder, health, logs, quickstart.
 *
 * <p>Starting points: {@link dev.sallyport.server.Main} reads the command line, {@link dev.sallyport.server.ServerModule}
 * says what a server is made of, {@link dev.sallyport.server.Server} is its life.
 */
@NullMarked
package dev.sallyport.server;

import org.jspecify.annotations.NullMarked;
