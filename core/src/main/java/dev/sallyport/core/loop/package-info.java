/**
 * Event loops, and timers on them.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.core.loop.EventLoops}: the loops of a proxy
 *   <li>{@link dev.sallyport.core.loop.Deadline}: one movable deadline
 *   <li>{@link dev.sallyport.core.loop.Turns}: what each takes of a loop at a time
 *   <li>{@link dev.sallyport.core.loop.PacedReads}: a channel that takes turns
 * </ul>
 */
@NullMarked
package dev.sallyport.core.loop;

import org.jspecify.annotations.NullMarked;
