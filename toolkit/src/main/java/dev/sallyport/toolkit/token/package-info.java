/**
 * Access tokens that the proxy mints for workloads: cached, renewed in time, and put into requests.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.toolkit.token.TokenCache}: one token, minted once for any number of waiting requests
 *   <li>{@link dev.sallyport.toolkit.token.Minter}: implemented by a transform to obtain a token
 *   <li>{@link dev.sallyport.toolkit.token.TokenInjection}: the decision about a request that should get a token
 *   <li>{@link dev.sallyport.toolkit.token.PlaceholderToken}: the placeholder that workloads get
 * </ul>
 */
@NullMarked
package dev.sallyport.toolkit.token;

import org.jspecify.annotations.NullMarked;
