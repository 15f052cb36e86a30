/**
 * Base images: root file systems, unpacked once and owned by the users of guests.
 *
 * <p>Starting points: {@link dev.sallyport.sandboxd.image.ImageStore}, {@link dev.sallyport.sandboxd.image.ImageBuilder}.
 */
@NullMarked
package dev.sallyport.sandboxd.image;

import org.jspecify.annotations.NullMarked;
