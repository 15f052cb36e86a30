package dev.sallyport.spi;

import java.time.Duration;

/**
 * Makes a plug-in's counters and timers, for the operator to watch. The engine prefixes the name with its own and the
 * plug-in's, so that {@code decisions} of {@code judge} is exported as {@code sallyport_judge_decisions_total}. Meters
 * belong to the proxy, not to an instance: they survive reloads, and instances share them.
 *
 * <p>Thread-safe, never blocks.
 */
public interface Meters {

    /**
     * A number that only grows. A second call with the same name returns the same family.
     *
     * @param name lower snake case, in the plural, without a unit: {@code decisions}
     * @param description one sentence
     * @param labels the labels of the series, lower snake case; never free text of a workload
     * @throws IllegalArgumentException when a name is malformed, or was declared before as something else
     */
    Family<Counter> counter(String name, String description, String... labels);

    /**
     * A distribution of durations, exported in seconds. As {@link #counter} otherwise.
     *
     * @param name lower snake case: {@code call_duration}
     */
    Family<Timer> timer(String name, String description, String... labels);

    /**
     * Meters with one name and different label values.
     *
     * @param <M> the kind of meter
     */
    interface Family<M> {

        /**
         * The meter for these values, the same one each time. A look-up allocates: on hot paths, keep the meter. A
         * family holds at most 1,000 of them; further ones are counted with {@code other} for each value.
         *
         * @param values one for each label, in the same order
         * @throws IllegalArgumentException when their number differs from that of the labels
         */
        M of(String... values);
    }

    /** A number that only grows. */
    @FunctionalInterface
    interface Counter {

        /**
         * Adds to it.
         *
         * @param amount 0 or more
         */
        void add(long amount);

        /** Adds one. */
        default void increment() {
            add(1);
        }
    }

    /** A distribution of durations. */
    @FunctionalInterface
    interface Timer {

        /** Records one duration. */
        void record(Duration took);
    }
}
