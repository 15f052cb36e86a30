/** Here the transform {@code sigv4_auth} will live, which signs requests with AWS Signature Version 4; there is no code yet. */
@NullMarked
package dev.sallyport.transforms.sigv4auth;

import org.jspecify.annotations.NullMarked;
