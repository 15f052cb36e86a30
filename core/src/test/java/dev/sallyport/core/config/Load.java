package dev.sallyport.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Loads texts as {@code f.yaml} in the folder {@code /etc/sallyport}. */
final class Load {

    /** A configuration without a problem. */
    static final String VALID = """
            dns: {proxy_ip: 192.0.2.1}
            tls: {ca_cert: ca.pem, ca_key: ca.key}
            """;

    static final Path FOLDER = Path.of("/etc/sallyport");

    private Load() {}

    static ConfigResult result(String text, Map<String, String> environment) {
        return ConfigLoader.load("f.yaml", text, FOLDER, environment, Plugins.catalog());
    }

    static ProxyConfig config(String text) {
        return config(text, Map.of());
    }

    static ProxyConfig config(String text, Map<String, String> environment) {
        ConfigResult result = result(text, environment);
        assertThat(result).isInstanceOf(ConfigResult.Loaded.class);
        return ((ConfigResult.Loaded) result).config();
    }

    /** The lines of the report. */
    static List<String> problems(String text) {
        return problems(text, Map.of());
    }

    static List<String> problems(String text, Map<String, String> environment) {
        return result(text, environment) instanceof ConfigResult.Invalid invalid
                ? ConfigReport.of(invalid.problems()).lines().toList()
                : List.of();
    }

    /** The only transform's configuration, from a {@code config} block that begins at line 7. */
    static <C extends Record> C transform(Class<C> type, String name, String block) {
        TransformEntry<?> entry =
                config(withTransform(name, block)).transforms().get(0);
        return type.cast(entry.config());
    }

    /** A text whose lines 6 and on are the block, indented by four. */
    static String withTransform(String name, String block) {
        return VALID + "transforms:\n  - name: " + name + "\n    config:\n" + block.indent(6);
    }

    static List<String> transformProblems(String name, String block) {
        return problems(withTransform(name, block));
    }
}
