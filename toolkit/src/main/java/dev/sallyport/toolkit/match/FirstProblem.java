package dev.sallyport.toolkit.match;

import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Problems;
import org.jspecify.annotations.Nullable;

/** Keeps only the first problem. */
final class FirstProblem implements Problems {

    @Nullable ConfigException problem;

    @Override
    public void add(String pointer, String message, String expected) {
        if (problem == null) {
            problem = new ConfigException(pointer, message, expected);
        }
    }
}
