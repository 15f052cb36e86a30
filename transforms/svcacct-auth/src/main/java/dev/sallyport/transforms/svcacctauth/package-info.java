/**
 * The transforms {@code svcacct_auth} and {@code gcp_id_token}: mint access and ID tokens of Google service accounts and
 * put them into requests, and answer where client libraries look for tokens.
 *
 * <p>Starting points: {@link dev.sallyport.transforms.svcacctauth.SvcacctAuthFactory},
 * {@link dev.sallyport.transforms.svcacctauth.SvcacctAuthConfig},
 * {@link dev.sallyport.transforms.svcacctauth.SvcacctAuth}, {@link dev.sallyport.transforms.svcacctauth.CloudStubs}.
 */
@NullMarked
package dev.sallyport.transforms.svcacctauth;

import org.jspecify.annotations.NullMarked;
