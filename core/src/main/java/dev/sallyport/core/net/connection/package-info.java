/**
 * What all connections of clients have in common, whatever they speak.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.core.net.connection.ClientConnection}: who is connected, through what, and where exchanges begin
 *   <li>{@link dev.sallyport.core.net.connection.ConnectionSettings}: what all connections share
 *   <li>{@link dev.sallyport.core.net.connection.ChannelClosing}: the ways in which a connection ends
 *   <li>{@link dev.sallyport.core.net.connection.StallDetector}: who keeps whom waiting
 * </ul>
 */
@NullMarked
package dev.sallyport.core.net.connection;

import org.jspecify.annotations.NullMarked;
