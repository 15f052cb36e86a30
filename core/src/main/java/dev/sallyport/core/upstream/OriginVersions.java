package dev.sallyport.core.upstream;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Remembers which HTTP versions origins speak, so that exchanges know whether to join an attempt. A hint, which
 * expires. Confined to its loop.
 */
final class OriginVersions {

    /** The HTTP version of an origin. */
    enum Version {
        HTTP_1_1,
        /** The origin speaks HTTP/2, too, but demands HTTP/1.1 for some requests. */
        HTTP_1_1_DEMANDED,
        HTTP_2
    }

    private static final int MOST = 1024;
    private static final long KEPT_NANOS = Duration.ofMinutes(10).toNanos();

    private record Known(Version version, long sinceNanos) {}

    private final Map<PoolKey, Known> known = new LinkedHashMap<>() {

        @Override
        protected boolean removeEldestEntry(Map.Entry<PoolKey, Known> eldest) {
            return size() > MOST;
        }
    };

    void learn(PoolKey key, Version version) {
        Known before = known.get(key);
        boolean demanded = before != null && before.version == Version.HTTP_1_1_DEMANDED && isFresh(before);
        if (!demanded || version == Version.HTTP_1_1_DEMANDED) {
            known.put(key, new Known(version, System.nanoTime()));
        }
    }

    /** The version that the origin is known to speak, or null. */
    @Nullable Version of(PoolKey key) {
        Known found = known.get(key);
        if (found != null && !isFresh(found)) {
            known.remove(key);
            return null;
        }
        return found == null ? null : found.version;
    }

    private static boolean isFresh(Known entry) {
        return System.nanoTime() - entry.sinceNanos < KEPT_NANOS;
    }
}
