/**
 * WebSocket frames (RFC 6455, RFC 7692), as far as a proxy must understand them.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.core.websocket.FrameFilter}: processes one direction of a relay
 *   <li>{@link dev.sallyport.core.websocket.CloseFrameTracker}: forwards bytes unchanged and tracks the closing
 * handshake
 * </ul>
 */
@NullMarked
package dev.sallyport.core.websocket;

import org.jspecify.annotations.NullMarked;
