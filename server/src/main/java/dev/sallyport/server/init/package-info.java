/**
 * Writes a first configuration for common cases. What only a tool of this machine knows, such as its registry, the tool is
 * asked for.
 *
 * <p>Starting points: {@link dev.sallyport.server.init.Initialization}, {@link dev.sallyport.server.init.Purpose}.
 */
@NullMarked
package dev.sallyport.server.init;

import org.jspecify.annotations.NullMarked;
