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

        /** Among the details while the disks of guests find no room to grow in: what guests write fails then. */
        public static final String DISK_FULL = "disk: full";

        /** Copies the list. */
        public Available {
            details = List.copyOf(details);
        }

        /** Whether it has {@link #DISK_FULL}. */
        public boolean isDiskFull() {
            return details.contains(DISK_FULL);
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
