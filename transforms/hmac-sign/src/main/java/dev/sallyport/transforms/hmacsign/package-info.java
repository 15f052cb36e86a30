/**
 * The transform {@code hmac_sign}: signs requests with a shared key that the workload does not have (HMAC, RFC 2104).
 *
 * <p>Starting points: {@link dev.sallyport.transforms.hmacsign.HmacSignFactory},
 * {@link dev.sallyport.transforms.hmacsign.HmacSignConfig}, {@link dev.sallyport.transforms.hmacsign.HmacSign}.
 */
@NullMarked
package dev.sallyport.transforms.hmacsign;

import org.jspecify.annotations.NullMarked;
