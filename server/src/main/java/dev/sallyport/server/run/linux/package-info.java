/**
 * What {@code sallyport run} needs of Linux: system calls, and a network namespace in which every address is local.
 *
 * <p>Starting points: {@link dev.sallyport.server.run.linux.NetworkNamespace}, {@link
 * dev.sallyport.server.run.linux.SystemCalls}.
 */
@NullMarked
package dev.sallyport.server.run.linux;

import org.jspecify.annotations.NullMarked;
