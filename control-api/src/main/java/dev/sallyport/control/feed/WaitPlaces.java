package dev.sallyport.control.feed;

import java.util.HashMap;
import java.util.Map;

/** Places for requests that wait until a change is applied. Thread-safe. */
final class WaitPlaces {

    /** For all organizations. */
    static final int MOST = 32;

    /** For one of them. */
    static final int MOST_OF_ORGANIZATION = 4;

    private final Map<String, Integer> taken = new HashMap<>();
    private int all;

    /** Takes a place; false where there is none. */
    synchronized boolean enter(String organization) {
        int own = taken.getOrDefault(organization, 0);
        if (all == MOST || own == MOST_OF_ORGANIZATION) {
            return false;
        }
        all++;
        taken.put(organization, own + 1);
        return true;
    }

    /** Gives a place back. */
    synchronized void leave(String organization) {
        all--;
        taken.computeIfPresent(organization, (same, own) -> own == 1 ? null : own - 1);
    }
}
