/**
 * Makes an allowlist of recorded traffic: the smallest readable one that lets all of it through again.
 *
 * <p>Starting points: {@link dev.sallyport.server.learn.TrafficCollector}, {@link
 * dev.sallyport.server.learn.PolicyLearner}, {@link dev.sallyport.server.learn.AllowlistFile}.
 */
@NullMarked
package dev.sallyport.server.learn;

import org.jspecify.annotations.NullMarked;
