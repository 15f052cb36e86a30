package dev.sallyport.control.audit;

import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Refusal;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Bounds how many long answers of a kind are open, for each account and in all. An answer takes its place before it
 * begins, and loses it when it has not begun ten seconds later: its client may have gone, and nobody says so. Thread-safe.
 */
public final class OpenAnswers {

    private static final long BEGINS_WITHIN_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final String kind;
    private final Most most;
    private final LongSupplier nanos;
    private final Set<Place> places = new HashSet<>();

    /** Bounds answers of a kind, such as {@code streams}. */
    public OpenAnswers(String kind, Most most) {
        this(kind, most, System::nanoTime);
    }

    OpenAnswers(String kind, Most most, LongSupplier nanos) {
        this.kind = kind;
        this.most = most;
        this.nanos = nanos;
    }

    /** How many may be open. */
    public record Most(int ofAccount, int inAll) {}

    /** That of one answer. */
    public final class Place {

        private final String organization;
        private final long taken;
        private boolean begun;

        private Place(String organization, long taken) {
            this.organization = organization;
            this.taken = taken;
        }

        /** Keeps the place from now on: the answer begins. False when it is another's already, or was given back. */
        public boolean keep() {
            synchronized (OpenAnswers.this) {
                begun = places.contains(this);
                return begun;
            }
        }

        /** Gives the place back; once is enough. */
        public void giveBack() {
            synchronized (OpenAnswers.this) {
                places.remove(this);
            }
        }

        private boolean hasLapsed(long now) {
            return !begun && now - taken >= BEGINS_WITHIN_NANOS;
        }
    }

    /** Takes a place; refuses with 409 when the account has too many, with 503 when all together have. */
    public synchronized Place take(Caller caller) {
        long now = nanos.getAsLong();
        places.removeIf(place -> place.hasLapsed(now));
        String organization = caller.organizationId();
        long own = places.stream()
                .filter(place -> place.organization.equals(organization))
                .count();
        if (own >= most.ofAccount()) {
            throw Refusal.quotaExceeded(most.ofAccount() + " " + kind + " of the account are open (expected: no more)");
        }
        if (places.size() >= most.inAll()) {
            throw Refusal.overloaded();
        }
        Place place = new Place(organization, now);
        places.add(place);
        return place;
    }
}
