/**
 * The proxies that an organization runs elsewhere, those that all accounts share, and their tokens.
 *
 * <p>Starting points: {@link dev.sallyport.control.proxy.Proxies}, {@link dev.sallyport.control.proxy.SharedProxies}.
 */
@NullMarked
package dev.sallyport.control.proxy;

import org.jspecify.annotations.NullMarked;
