package dev.sallyport.sandbox;

import java.util.List;

/** Whether a driver can run VMs on this machine. */
public sealed interface Availability {

    /**
     * It can.
     *
     * @param details what was found, one fact each, such as {@code runtime: crun 1.8.1}
     */
    record Available(List<String> details) implements Availability {

        /** Copies the list. */
        public Available {
            details = List.copyOf(details);
        }
    }

    /**
     * It cannot.
     *
     * @param problems all that is missing, each with what brings it; at least one
     */
    record Unavailable(List<String> problems) implements Availability {

        /** Copies the list. */
        public Unavailable {
            problems = List.copyOf(problems);
            if (problems.isEmpty()) {
                throw new IllegalArgumentException("no problem is named");
            }
        }
    }
}
