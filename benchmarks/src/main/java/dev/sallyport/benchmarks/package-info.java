/**
 * JMH benchmarks of the paths that decide the speed of a request.
 *
 * <p>Starting points: {@link dev.sallyport.benchmarks.SecretsBenchmark}, {@link dev.sallyport.benchmarks.Samples}.
 */
@NullMarked
package dev.sallyport.benchmarks;

import org.jspecify.annotations.NullMarked;
