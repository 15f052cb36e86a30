/**
 * The command line. A command reports each problem in one line on standard error, and ends with an
 * {@link dev.sallyport.server.cli.ExitCode}.
 *
 * <p>Starting points: {@link dev.sallyport.server.cli.CommandLines}, {@link dev.sallyport.server.cli.RunCommand}.
 */
@NullMarked
package dev.sallyport.server.cli;

import org.jspecify.annotations.NullMarked;
