package dev.sallyport.core.secret;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whether a secret has been deleted, and when. Has no value, so that it can outlive the secret for those that still carry
 * one. Thread-safe.
 */
final class SecretPast {

    private volatile String name;
    private volatile @Nullable DeliveredLife life;

    /** The latest deletion of lives before the present one. */
    private volatile long before;

    /** Lives before the present one that are not known to be over, although their values have gone. */
    private volatile List<DeliveredLife> unended = List.of();

    SecretPast(String name) {
        this.name = name;
    }

    String name() {
        return name;
    }

    void name(String known) {
        name = known;
    }

    /** A value of this life has been read. Reads of one secret never overlap. */
    void read(@Nullable DeliveredLife now) {
        DeliveredLife known = life;
        if (now != known) {
            List<DeliveredLife> open = new ArrayList<>(unended);
            if (known != null) {
                open.add(known);
            }
            open.removeIf(earlier -> earlier.deletedAt() > 0);
            long latest = latestDeletion(); // of those too that have just been left out
            before = latest;
            unended = List.copyOf(open);
            life = now;
        }
    }

    /** The number of its latest deletion; 0 for never. */
    long latestDeletion() {
        DeliveredLife known = life;
        long latest = known == null ? before : Math.max(before, known.deletedAt());
        for (DeliveredLife earlier : unended) {
            latest = Math.max(latest, earlier.deletedAt());
        }
        return latest;
    }
}
