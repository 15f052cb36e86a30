/**
 * Parent proxies (docs/spec/decisions.md, section 17) and the handshakes that open connections through them: HTTP
 * CONNECT and SOCKS 5, as state machines without I/O.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.core.parent.Parents}: selects the parent for a destination
 *   <li>{@link dev.sallyport.core.parent.ParentHandshake}: the bytes that lead from a parent to a destination
 * </ul>
 */
@NullMarked
package dev.sallyport.core.parent;

import org.jspecify.annotations.NullMarked;
