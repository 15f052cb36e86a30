package dev.sallyport.core.testing;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.provider.Arguments;

/** What a fuzzer begins with, and what is tried without one. */
public final class Seeds {

    private final List<Arguments> inputs = new ArrayList<>();

    public Seeds add(String name, byte[] input) {
        inputs.add(Arguments.of(Named.of(name, input)));
        return this;
    }

    /** Of characters up to U+00FF, which are the bytes. */
    public Seeds add(String name, String input) {
        return add(name, input.getBytes(StandardCharsets.ISO_8859_1));
    }

    public Stream<Arguments> stream() {
        return inputs.stream();
    }
}
