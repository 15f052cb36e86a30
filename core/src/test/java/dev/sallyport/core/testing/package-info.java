/** A whole proxy between raw sockets, for tests through the public surface. */
@NullMarked
package dev.sallyport.core.testing;

import org.jspecify.annotations.NullMarked;
