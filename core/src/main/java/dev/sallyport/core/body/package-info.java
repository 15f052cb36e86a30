/**
 * The body of one message on its way from the sender to the receiver: read, watched, rewritten and passed on in bounded
 * memory.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.core.body.MessageBody}: one direction of one message
 *   <li>{@link dev.sallyport.core.body.BodySink}: where it goes
 *   <li>{@link dev.sallyport.core.body.BodyBudget}: how much all bodies together may hold
 *   <li>{@link dev.sallyport.core.body.StageChain}: the stages between sender and receiver
 * </ul>
 */
@NullMarked
package dev.sallyport.core.body;

import org.jspecify.annotations.NullMarked;
