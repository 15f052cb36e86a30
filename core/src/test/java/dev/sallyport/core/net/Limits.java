package dev.sallyport.core.net;

import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.config.ProxyLimits;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** {@code proxy.limits} as a test needs them; streams have the protocol's own window, which is soon full. */
final class Limits {

    private static final Map<String, String> SMALL_WINDOW =
            Map.of("SALLYPORT_PROXY_LIMITS_HTTP2_STREAM_WINDOW_BYTES", "65535");

    /** All other defaults. */
    static final ProxyLimits DEFAULTS = of("");

    private Limits() {}

    /** @param fields as in a configuration, in YAML flow style; those left out have their defaults */
    static ProxyLimits of(String fields) {
        String text = """
                dns: {enabled: false}
                proxy: {limits: {%s}}
                tls: {ca_cert: none.pem, ca_key: none.key}
                """.formatted(fields);
        PluginCatalog none = PluginCatalog.of(List.of(), List.of());
        if (ConfigLoader.load("limits", text, Path.of("."), SMALL_WINDOW, none) instanceof ConfigResult.Loaded loaded) {
            return loaded.config().proxy().limits();
        }
        throw new IllegalArgumentException(fields);
    }
}
