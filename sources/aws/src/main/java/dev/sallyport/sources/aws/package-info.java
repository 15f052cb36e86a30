/** Here the sources {@code cloud_sm} and {@code cloud_ssm} will live; there is no code yet. */
@NullMarked
package dev.sallyport.sources.aws;

import org.jspecify.annotations.NullMarked;
