package dev.sallyport.spi;

import java.time.Duration;

/**
 * Makes what a plug-in counts and times, for the operator to watch. The engine puts its own name and the plug-in's before
 * the name, so that {@code decisions} of {@code judge} is exported as {@code sallyport_judge_decisions_total}. What is
 * counted belongs to the proxy, not to an instance: it goes on across reloads, and instances share it.
 *
 * <p>Thread-safe, never blocks.
 */
public interface Meters {

    /**
     * A number that only grows. Asking again for the same name gives the same family.
     *
     * @param name lower snake case, in the plural, without a unit: {@code decisions}
     * @param description one sentence
     * @param labels what the series differ in, lower snake case; never free text of a workload
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
     * Meters of one name that differ in the values of their labels.
     *
     * @param <M> what they are
     */
    interface Family<M> {

        /**
         * The meter for these values, the same one each time. Looking it up allocates: keep it where it is hot. A family
         * holds 1,000 of them at most; what comes after is counted with {@code other} for each value.
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

        /** Takes one duration into account. */
        void record(Duration took);
    }
}
