/**
 * The observer {@code body_capture}: writes the beginning of request bodies to the audit record.
 *
 * <p>Starting points: {@link dev.sallyport.transforms.bodycapture.BodyCaptureFactory},
 * {@link dev.sallyport.transforms.bodycapture.BodyCaptureConfig},
 * {@link dev.sallyport.transforms.bodycapture.Capture}.
 */
@NullMarked
package dev.sallyport.transforms.bodycapture;

import org.jspecify.annotations.NullMarked;
