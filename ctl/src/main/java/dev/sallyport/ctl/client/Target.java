package dev.sallyport.ctl.client;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Which control plane, and as whom.
 *
 * @param key null for nobody
 * @param caCert PEM file of the authorities to trust instead of the JDK's, or null
 * @param patience how long connecting, and an answer, may take
 */
public record Target(
        URI server, @Nullable String key, @Nullable Path caCert, Duration patience) {

    /** As somebody else. */
    public Target as(@Nullable String otherKey) {
        return new Target(server, otherKey, caCert, patience);
    }

    /** Without the key. */
    @Override
    public String toString() {
        return "Target[" + server + "]";
    }
}
