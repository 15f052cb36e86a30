package dev.sallyport.feed;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Events that wait to be delivered, in their order, each with a number of its own. One thread puts in, and one takes out;
 * both may block on a disk.
 */
interface EventSpool extends Closeable {

    /**
     * Events that follow one another.
     *
     * @param epoch of the numbers
     * @param first the number of the first event
     * @param events their JSON
     * @param oldestMillis when the first one happened, since 1970
     */
    record Batch(String epoch, long first, List<byte[]> events, long oldestMillis) {

        public Batch {
            events = List.copyOf(events);
        }

        /** The number of the last event. */
        long last() {
            return first + events.size() - 1;
        }
    }

    /**
     * Adds an event; it counts as kept after {@link #flush}.
     *
     * @throws IOException when there is no room; nothing was added then
     * @throws IllegalArgumentException when there never will be, because it is too long
     */
    void append(long millis, byte[] event) throws IOException;

    /**
     * As {@link #append(long, byte[])}, of an account.
     *
     * @param account empty where all are of one organization
     */
    default void append(String account, long millis, byte[] event) throws IOException {
        append(millis, event);
    }

    /** Keeps what was added. May be called again after it has thrown. */
    void flush() throws IOException;

    /**
     * The events that have waited longest, which a power cut does not lose any more if they are on disk; null for none.
     *
     * @param most how many
     */
    @Nullable Batch next(int most) throws IOException;

    /** The batch that {@link #next} gave last has been delivered, or will never be. */
    void delivered(Batch batch);

    /**
     * The other side has had more events of this epoch than were ever numbered here: the spool is an older copy of itself.
     * What is added from now on is of a new epoch.
     */
    void beginEpoch() throws IOException;

    /** The epoch of what is added now. */
    String epoch();

    /** The number that follows that of the last event that was added in an epoch, of which some events wait. */
    long end(String epoch);

    /** Whether events wait that the last batch had to leave out although it had room. */
    default boolean isBehind() {
        return false;
    }

    /** Bytes that wait. */
    long bytes();

    /** How many bytes may wait. */
    long capacity();

    /** Whether what waits outlives the process. */
    boolean isDurable();

    /** Forgets what waits. */
    void clear();
}
