/**
 * {@code sallyport run}: a program behind a proxy of its own, for as long as it runs.
 *
 * <p>Starting points: {@link dev.sallyport.server.run.ProgramRun}, {@link dev.sallyport.server.run.RunArguments}, {@link
 * dev.sallyport.server.run.linux.NetworkNamespace}.
 */
@NullMarked
package dev.sallyport.server.run;

import org.jspecify.annotations.NullMarked;
