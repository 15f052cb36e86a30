/**
 * Access tokens that the proxy mints for workloads: kept, renewed in time, and put into requests.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.toolkit.token.TokenCache}: one token, minted once however many wait for it
 *   <li>{@link dev.sallyport.toolkit.token.Minter}: what a transform writes to obtain one
 *   <li>{@link dev.sallyport.toolkit.token.TokenInjection}: the decision about a request that is to get one
 *   <li>{@link dev.sallyport.toolkit.token.StubToken}: what workloads get instead
 * </ul>
 */
@NullMarked
package dev.sallyport.toolkit.token;

import org.jspecify.annotations.NullMarked;
