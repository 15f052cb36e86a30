/**
 * What a sign-in leaves on this machine: the server and its key.
 *
 * <p>Starting points: {@link dev.sallyport.ctl.context.Contexts}.
 */
@NullMarked
package dev.sallyport.ctl.context;

import org.jspecify.annotations.NullMarked;
