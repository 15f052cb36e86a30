package dev.sallyport.core;

import dev.sallyport.core.secret.SecretStatus;
import dev.sallyport.core.secret.SecretStore;
import dev.sallyport.spi.SecretRef;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How fresh the value of a secret source is. Holds no secret.
 *
 * @param type the type of the source, such as {@code env}
 * @param name the name of the secret, as in audit records
 * @param pointer JSON pointer of the place in the configuration
 * @param lastRead when its value was read last; null if never
 */
public record SourceStatus(
        String type,
        String name,
        String pointer,
        Freshness freshness,
        @Nullable Instant lastRead) {

    /** The outcome of the last reads. */
    public enum Freshness {
        /** The last read succeeded. */
        FRESH,
        /** The last read failed, and an earlier value is in use. */
        STALE,
        /** There is no value; requests that need it are refused. */
        FAILED
    }

    /** The status of each of these secrets that is in use. */
    static List<SourceStatus> of(List<SecretRef> refs, SecretStore secrets) {
        List<SourceStatus> sources = new ArrayList<>();
        for (SecretRef ref : refs) {
            SecretStatus known = secrets.status(ref);
            if (known != null) {
                Freshness freshness =
                        !known.available() ? Freshness.FAILED : known.failing() ? Freshness.STALE : Freshness.FRESH;
                sources.add(new SourceStatus(ref.type(), known.name(), ref.pointer(), freshness, known.lastRead()));
            }
        }
        return sources;
    }
}
