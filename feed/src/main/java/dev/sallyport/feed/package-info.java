/**
 * Policies from a control plane elsewhere: followed over one connection, applied, acknowledged, and kept for restarts; and
 * events of egress, kept on disk until they are delivered there.
 *
 * <p>Starting points: {@link dev.sallyport.feed.FeedFactory}, {@link dev.sallyport.feed.FeedClient},
 * {@link dev.sallyport.feed.EventDelivery}.
 */
@NullMarked
package dev.sallyport.feed;

import org.jspecify.annotations.NullMarked;
