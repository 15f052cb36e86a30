package dev.sallyport.toolkit.match;

import java.util.Collection;

/** Arrays of ints. */
final class Ints {

    private Ints() {}

    static int[] array(Collection<Integer> values) {
        int[] array = new int[values.size()];
        int at = 0;
        for (int value : values) {
            array[at++] = value;
        }
        return array;
    }
}
