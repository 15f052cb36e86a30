/**
 * What {@code sallyport run} needs of Linux: a network namespace in which every address is local.
 *
 * <p>Starting points: {@link dev.sallyport.server.run.linux.Jail}, {@link
 * dev.sallyport.server.run.linux.NetworkNamespace}.
 */
@NullMarked
package dev.sallyport.server.run.linux;

import org.jspecify.annotations.NullMarked;
