/**
 * Channels of gRPC over the engine's connections.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.grpc.OperatorChannel}: a channel to one server
 * </ul>
 */
@NullMarked
package dev.sallyport.grpc;

import org.jspecify.annotations.NullMarked;
