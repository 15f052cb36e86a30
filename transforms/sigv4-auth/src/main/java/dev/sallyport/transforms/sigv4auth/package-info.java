/**
 * The transform {@code sigv4_auth}: signs requests again, with real credentials, that a workload signed with AWS
 * Signature Version 4 and worthless credentials.
 *
 * <p>Starting points: {@link dev.sallyport.transforms.sigv4auth.SigV4AuthFactory},
 * {@link dev.sallyport.transforms.sigv4auth.SigV4AuthConfig}, {@link dev.sallyport.transforms.sigv4auth.SigV4Auth};
 * {@link dev.sallyport.transforms.sigv4auth.Canonical} and {@link dev.sallyport.transforms.sigv4auth.Signing} are the
 * algorithm.
 */
@NullMarked
package dev.sallyport.transforms.sigv4auth;

import org.jspecify.annotations.NullMarked;
