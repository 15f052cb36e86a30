/**
 * Credentials of AWS, and calls of its SDK through the engine's HTTP client.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.aws.CredentialChain}: the SDK's default chain of credentials
 *   <li>{@link dev.sallyport.aws.CallerHttpClient}: the HTTP client for clients of the SDK
 * </ul>
 */
@NullMarked
package dev.sallyport.aws;

import org.jspecify.annotations.NullMarked;
