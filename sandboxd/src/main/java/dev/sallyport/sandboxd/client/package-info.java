/**
 * The driver of a control plane that asks sandboxd.
 *
 * <p>Starting points: {@link dev.sallyport.sandboxd.client.SandboxdDriver}.
 */
@NullMarked
package dev.sallyport.sandboxd.client;

import org.jspecify.annotations.NullMarked;
