/**
 * The transform {@code svcacct_auth}: mints access tokens of Google service accounts and puts them into requests, and
 * answers where client libraries look for tokens.
 *
 * <p>Starting points: {@link dev.sallyport.transforms.svcacctauth.SvcacctAuthFactory},
 * {@link dev.sallyport.transforms.svcacctauth.SvcacctAuthConfig},
 * {@link dev.sallyport.transforms.svcacctauth.SvcacctAuth}, {@link dev.sallyport.transforms.svcacctauth.CloudStubs}.
 */
@NullMarked
package dev.sallyport.transforms.svcacctauth;

import org.jspecify.annotations.NullMarked;
