/** Here the transform {@code judge} will live, which lets a language model decide; there is no code yet. */
@NullMarked
package dev.sallyport.transforms.judge;

import org.jspecify.annotations.NullMarked;
