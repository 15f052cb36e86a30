/** What the repository says about itself. Starting point: {@link dev.sallyport.server.docs.CitationsTest}. */
@NullMarked
package dev.sallyport.server.docs;

import org.jspecify.annotations.NullMarked;
