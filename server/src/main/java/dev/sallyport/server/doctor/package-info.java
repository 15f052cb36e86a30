/**
 * {@code sallyport doctor}: what of {@code sallyport run} works on this machine.
 *
 * <p>Starting points: {@link dev.sallyport.server.doctor.Doctor}.
 */
@NullMarked
package dev.sallyport.server.doctor;

import org.jspecify.annotations.NullMarked;
