/**
 * {@code sallyport sandbox} and {@code sallyport sandboxd}: images of sandboxes, and the process that runs them; and what
 * {@code sallyport doctor} says of their machine.
 *
 * <p>Starting points: {@link dev.sallyport.sandboxcli.SandboxCommand}, {@link dev.sallyport.sandboxcli.SandboxdCommand}.
 */
@NullMarked
package dev.sallyport.sandboxcli;

import org.jspecify.annotations.NullMarked;
