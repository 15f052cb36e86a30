/** Here the observer {@code annotate} will live, which adds facts to the audit record; there is no code yet. */
@NullMarked
package dev.sallyport.transforms.annotate;

import org.jspecify.annotations.NullMarked;
