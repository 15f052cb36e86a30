/** JMH benchmarks of the paths that decide the speed of a request. */
@NullMarked
package dev.sallyport.benchmarks;

import org.jspecify.annotations.NullMarked;
