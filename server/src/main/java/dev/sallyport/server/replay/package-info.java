/**
 * Judges recorded exchanges by another configuration, and tells whose verdict it would change.
 *
 * <p>Starting points: {@link dev.sallyport.server.replay.Replay}, {@link dev.sallyport.server.replay.ReplayReport}.
 */
@NullMarked
package dev.sallyport.server.replay;

import org.jspecify.annotations.NullMarked;
