/** The packaged proxy: command line, wiring, management and the distribution. */
@NullMarked
package dev.sallyport.server;

import org.jspecify.annotations.NullMarked;
