/** Here the transform {@code hmac_sign} will live, which signs requests with a shared key; there is no code yet. */
@NullMarked
package dev.sallyport.transforms.hmacsign;

import org.jspecify.annotations.NullMarked;
