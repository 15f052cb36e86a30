package dev.sallyport.core.tls;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads roots from files, and parses a file again only when it has changed: a system's bundle takes 10 ms, which every
 * reload would spend. A file that changed less than two seconds before it was read is read again. Keeps the roots of the
 * files that {@link #retain} names. Thread-safe; reading blocks.
 */
public final class TrustRootsReader {

    private final Map<Path, Parsed> kept = new ConcurrentHashMap<>();

    private record Parsed(FileVersion version, TrustRoots roots) {}

    /** As {@link TrustRoots#system()}. Roots that come from the Java runtime are read each time. */
    public TrustRoots system() throws TlsMaterialException {
        Path file = TrustRoots.systemFile();
        return file == null ? TrustRoots.system() : of(file);
    }

    /** As {@link TrustRoots#of(Path)}. */
    public TrustRoots of(Path pem) throws TlsMaterialException {
        FileVersion present = FileVersion.of(pem);
        Parsed before = kept.get(pem);
        if (before != null && before.version.equals(present)) {
            return before.roots;
        }
        Instant reading = Instant.now();
        TrustRoots roots = TrustRoots.of(pem);
        if (present != null && present.settled(reading) && present.equals(FileVersion.of(pem))) {
            kept.put(pem, new Parsed(present, roots));
        } else {
            kept.remove(pem);
        }
        return roots;
    }

    /** Forgets all but the system's roots and those of this file. */
    public void retain(@Nullable Path pem) {
        Path system = TrustRoots.systemFile();
        kept.keySet().removeIf(file -> !file.equals(system) && !file.equals(pem));
    }
}
