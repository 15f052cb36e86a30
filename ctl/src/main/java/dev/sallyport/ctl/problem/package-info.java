/**
 * How a command ends without success.
 *
 * <p>Starting points: {@link dev.sallyport.ctl.problem.Problem}, {@link dev.sallyport.ctl.problem.ExitCode}.
 */
@NullMarked
package dev.sallyport.ctl.problem;

import org.jspecify.annotations.NullMarked;
