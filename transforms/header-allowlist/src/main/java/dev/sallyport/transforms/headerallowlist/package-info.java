/** Here the transform {@code header_allowlist} will live, which drops every header that is not named; there is no code yet. */
@NullMarked
package dev.sallyport.transforms.headerallowlist;

import org.jspecify.annotations.NullMarked;
