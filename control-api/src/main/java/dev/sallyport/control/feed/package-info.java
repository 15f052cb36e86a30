/**
 * Policies on their way to proxies: compiled to pipelines, and handed to every proxy that is connected.
 *
 * <p>Starting points: {@link dev.sallyport.control.feed.Compiler}, {@link dev.sallyport.control.feed.Fanout}.
 */
@NullMarked
package dev.sallyport.control.feed;

import org.jspecify.annotations.NullMarked;
