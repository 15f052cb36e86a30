/**
 * Moves the body of one message from the sender to the receiver: reads, observes, rewrites and forwards it in bounded
 * memory.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.core.body.MessageBody}: one direction of one message
 *   <li>{@link dev.sallyport.core.body.BodySink}: the receiver of a body
 *   <li>{@link dev.sallyport.core.body.BodyBudget}: limits the bytes that all bodies together may hold
 *   <li>{@link dev.sallyport.core.body.StageChain}: the stages between sender and receiver
 * </ul>
 */
@NullMarked
package dev.sallyport.core.body;

import org.jspecify.annotations.NullMarked;
