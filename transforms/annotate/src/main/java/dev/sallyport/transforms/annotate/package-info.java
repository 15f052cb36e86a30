/**
 * The observer {@code annotate}: writes the values of chosen request headers to the audit record.
 *
 * <p>Starting points: {@link dev.sallyport.transforms.annotate.AnnotateFactory},
 * {@link dev.sallyport.transforms.annotate.AnnotateConfig}, {@link dev.sallyport.transforms.annotate.Annotate}.
 */
@NullMarked
package dev.sallyport.transforms.annotate;

import org.jspecify.annotations.NullMarked;
