/**
 * The transform {@code oauth_token}: mints OAuth 2.0 access tokens (RFC 6749, RFC 7523) and puts them into requests.
 *
 * <p>Starting points: {@link dev.sallyport.transforms.oauthtoken.OauthTokenFactory},
 * {@link dev.sallyport.transforms.oauthtoken.OauthTokenConfig}, {@link dev.sallyport.transforms.oauthtoken.OauthToken},
 * {@link dev.sallyport.transforms.oauthtoken.Issuer}.
 */
@NullMarked
package dev.sallyport.transforms.oauthtoken;

import org.jspecify.annotations.NullMarked;
