/**
 * The parts that all client connections share, whatever their protocol.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.core.net.connection.ClientConnection}: a client's connection, from which exchanges begin
 *   <li>{@link dev.sallyport.core.net.connection.ConnectionSettings}: the settings that all connections share
 *   <li>{@link dev.sallyport.core.net.connection.ChannelClosing}: the ways in which a connection ends
 *   <li>{@link dev.sallyport.core.net.connection.StallDetector}: detects clients that stop in the middle of an exchange
 * </ul>
 */
@NullMarked
package dev.sallyport.core.net.connection;

import org.jspecify.annotations.NullMarked;
