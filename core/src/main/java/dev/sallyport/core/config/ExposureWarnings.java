package dev.sallyport.core.config;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Warns of listeners that are open on all interfaces although the file does not set them: the specification's defaults
 * are intended for a dedicated machine.
 */
public final class ExposureWarnings {

    private ExposureWarnings() {}

    /** Warnings about the listeners of {@code proxy} and {@code dns}. */
    public static List<ConfigProblem> ofTraffic(ProxyConfig config, Locations places) {
        List<ConfigProblem> found = new ArrayList<>();
        look("/proxy/http_listen", config.proxy().httpListen(), places, found);
        look("/proxy/https_listen", config.proxy().httpsListen(), places, found);
        if (config.dns().enabled()) {
            look("/dns/listen", config.dns().listen(), places, found);
        }
        return found;
    }

    /** Warnings about the listener of {@code metrics}, which has no authentication. */
    public static List<ConfigProblem> ofMetrics(ProxyConfig config, Locations places) {
        List<ConfigProblem> found = new ArrayList<>();
        look("/metrics/listen", config.metrics().listen(), places, found);
        return found;
    }

    private static void look(
            String pointer, @Nullable ListenAddress listen, Locations places, List<ConfigProblem> found) {
        if (listen == null || !listen.isWildcard() || places.isGiven(pointer) || !places.isSound(pointer)) {
            return;
        }
        found.add(new ConfigProblem(
                places.of(pointer),
                pointer,
                "not set, so port " + listen.port() + " is open on all interfaces",
                "127.0.0.1:" + listen.port() + ", disabled, or :" + listen.port() + " if that is intended"));
    }
}
