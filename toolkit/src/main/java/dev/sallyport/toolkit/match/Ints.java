package dev.sallyport.toolkit.match;

import java.util.Collection;

/** Arrays of ints. */
final class Ints {

    private Ints() {}

    static int[] array(Collection<Integer> values) {
        return values.stream().mapToInt(Integer::intValue).toArray();
    }
}
