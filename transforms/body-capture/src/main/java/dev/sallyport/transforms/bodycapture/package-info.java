/** Here the observer {@code body_capture} will live, which copies bodies into the audit record; there is no code yet. */
@NullMarked
package dev.sallyport.transforms.bodycapture;

import org.jspecify.annotations.NullMarked;
