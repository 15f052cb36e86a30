/**
 * The transform {@code sigv4_auth}: signs again, with real credentials, what a workload signed with AWS Signature
 * Version 4 and credentials that are worth nothing.
 *
 * <p>Starting points: {@link dev.sallyport.transforms.sigv4auth.SigV4AuthFactory},
 * {@link dev.sallyport.transforms.sigv4auth.SigV4AuthConfig}, {@link dev.sallyport.transforms.sigv4auth.SigV4Auth};
 * {@link dev.sallyport.transforms.sigv4auth.Canonical} and {@link dev.sallyport.transforms.sigv4auth.Signing} are the
 * algorithm.
 */
@NullMarked
package dev.sallyport.transforms.sigv4auth;

import org.jspecify.annotations.NullMarked;
