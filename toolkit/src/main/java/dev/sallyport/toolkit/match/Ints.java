package dev.sallyport.toolkit.match;

import java.util.Arrays;
import java.util.Collection;

/** Arrays of ints. */
final class Ints {

    static final int[] NONE = {};

    private Ints() {}

    static int[] array(Collection<Integer> values) {
        int[] array = new int[values.size()];
        int at = 0;
        for (int value : values) {
            array[at++] = value;
        }
        return array;
    }

    /** Collects some, of which there is mostly one. */
    static final class Builder {

        private int[] values = NONE;
        private int size;

        boolean isEmpty() {
            return size == 0;
        }

        int last() {
            return values[size - 1];
        }

        void add(int value) {
            if (size == values.length) {
                values = Arrays.copyOf(values, Math.max(1, 2 * size));
            }
            values[size++] = value;
        }

        /** Those so far, in their order; nothing may be added afterwards. */
        int[] build() {
            return size == values.length ? values : Arrays.copyOf(values, size);
        }
    }
}
