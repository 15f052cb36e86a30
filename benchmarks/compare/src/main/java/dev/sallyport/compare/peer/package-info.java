/**
 * The proxies to compare: what their files say, and how they are started and watched.
 *
 * <p>Starting points: {@link dev.sallyport.compare.peer.PeerFile}, {@link dev.sallyport.compare.peer.Launcher}.
 */
@NullMarked
package dev.sallyport.compare.peer;

import org.jspecify.annotations.NullMarked;
