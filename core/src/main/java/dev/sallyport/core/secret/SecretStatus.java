package dev.sallyport.core.secret;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The status of one secret, without its value.
 *
 * @param name the name in logs
 * @param failing whether the last read failed
 * @param lastRead when its value was read last; null if never
 * @param ageSeconds the time since then by a monotonic clock; {@link #NEVER} if it was never read
 */
public record SecretStatus(
        String name,
        boolean available,
        boolean failing,
        @Nullable Instant lastRead,
        double ageSeconds) {

    static final int NEVER = -1;

    /** The worse of both in each respect. */
    SecretStatus worse(SecretStatus other) {
        boolean both = available && other.available;
        boolean older = ageSeconds >= other.ageSeconds;
        return new SecretStatus(
                name,
                both,
                failing || other.failing,
                both ? (older ? lastRead : other.lastRead) : null,
                both ? Math.max(ageSeconds, other.ageSeconds) : NEVER);
    }
}
