/**
 * The packaged server with a heap of 256 MiB, and clients and origins that make much of little: in every place where bytes
 * may gather. It lives, others are answered meanwhile, and every exchange has its record.
 *
 * <p>Start with {@link dev.sallyport.server.flood.FloodSuite}.
 */
@NullMarked
package dev.sallyport.server.flood;

import org.jspecify.annotations.NullMarked;
