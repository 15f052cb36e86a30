/** The contract between the engine and its plug-ins. */
@NullMarked
package dev.sallyport.spi;

import org.jspecify.annotations.NullMarked;
