package dev.sallyport.control.feed;

import java.util.Set;

/** Who is connected because of what the database says, such as workloads of accounts. */
interface Members {

    /**
     * Connects and disconnects those who are concerned by changes of these organizations, and of time. Called by the thread
     * of the rounds, in each of them; blocks as long as it takes to read the database.
     */
    void changed(Set<String> organizations);

    /** Whether proxies go by all that was known of an organization in the last round. Any thread; never blocks. */
    boolean isSettled(String organization);

    /** How long until {@link #changed} has to be called even if nothing changes. */
    long quietNanos();
}
