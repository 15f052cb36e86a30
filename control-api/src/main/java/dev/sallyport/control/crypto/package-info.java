/**
 * Encryption at rest, password hashes and tokens.
 *
 * <p>Starting points: {@link dev.sallyport.control.crypto.Envelope}, {@link dev.sallyport.control.crypto.Passwords}.
 */
@NullMarked
package dev.sallyport.control.crypto;

import org.jspecify.annotations.NullMarked;
