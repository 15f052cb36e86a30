/** The engine and its sockets. */
@NullMarked
package dev.sallyport.core;

import org.jspecify.annotations.NullMarked;
