/** The transform {@code allowlist}: who may reach which destination, everything else is refused. */
@NullMarked
package dev.sallyport.transforms.allowlist;

import org.jspecify.annotations.NullMarked;
