/**
 * The training run behind {@code sallyport archive}: a proxy in a process of its own, as users start it, between a
 * sample origin and sample clients. The archive in {@code lib} holds what its JVM loads and links meanwhile; see
 * {@code docs/decisions/0003-launcher-flags.md}.
 *
 * <p>Starting point: {@link dev.sallyport.server.archive.Training}.
 */
@NullMarked
package dev.sallyport.server.archive;

import org.jspecify.annotations.NullMarked;
