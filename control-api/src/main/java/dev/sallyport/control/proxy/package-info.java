/**
 * The proxies that an organization runs elsewhere, and their tokens.
 *
 * <p>Starting points: {@link dev.sallyport.control.proxy.Proxies}.
 */
@NullMarked
package dev.sallyport.control.proxy;

import org.jspecify.annotations.NullMarked;
