package dev.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.PluginCatalog;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Limits of memory that do not fit the JVM. */
class MemoryWarningsTest {

    private static final String OPEN = "upstream_deny_cidrs: []";

    @TempDir
    Path folder;

    /** By the check, which makes nothing, and by the start. */
    @Test
    void areWarningsOfTheConfiguration() throws Exception {
        Path file = Files.writeString(
                folder.resolve("proxy.yaml"),
                TestProxy.builder(folder)
                        .proxyLines(OPEN, "limits:", "  buffered_head_bytes: 1024GiB")
                        .yaml());
        String told = "proxy.yaml:12:26: /proxy/limits/buffered_head_bytes: buffered_bytes (";

        ConfigResult checked =
                EgressProxy.check(ConfigLoader.load(file, Map.of(), PluginCatalog.of(List.of(), List.of())));
        try (TestProxy proxy = TestProxy.builder(folder).start(file)) {
            assertThat(checked.warnings())
                    .anyMatch(warning -> warning.toString().contains(told));
            assertThat(proxy.proxy().warnings()).anyMatch(warning -> warning.contains(told));
        }
    }

    /** One body alone may be as large as all together; one that is larger is never held whole. */
    @Test
    void aBodyThatCannotBeHeldIsAWarning() throws Exception {
        String request = "max_request_body_bytes: 3145728";
        String response = "max_response_body_bytes: 3145729";
        String tooMuch =
                " bytes of one body are more than the 2MiB for all together, so that one of this length can never"
                        + " be held (expected: at most 2097152, or a larger limits.buffered_bytes)";

        assertThat(bodyWarnings(request, response, "limits: {buffered_bytes: 2MiB}"))
                .containsExactly(
                        "proxy.yaml:10:27: /proxy/max_request_body_bytes: 3145728" + tooMuch,
                        "proxy.yaml:11:28: /proxy/max_response_body_bytes: 3145729" + tooMuch);
        assertThat(bodyWarnings(request, response, "limits: {buffered_bytes: 4MiB}"))
                .isEmpty();
        assertThat(bodyWarnings("max_request_body_bytes: 2097153", "limits: {buffered_bytes: 2MiB}"))
                .hasSize(1);
        assertThat(bodyWarnings("max_request_body_bytes: 2097152", "limits: {buffered_bytes: 2MiB}"))
                .isEmpty();
    }

    private List<String> bodyWarnings(String... proxyLines) throws Exception {
        Path file = Files.writeString(
                folder.resolve("proxy.yaml"),
                TestProxy.builder(folder).proxyLines(proxyLines).yaml());
        ConfigResult checked =
                EgressProxy.check(ConfigLoader.load(file, Map.of(), PluginCatalog.of(List.of(), List.of())));
        assertThat(checked.problems()).isEmpty();
        return checked.warnings().stream()
                .map(ConfigProblem::toString)
                .map(warning -> warning.substring(warning.indexOf("proxy.yaml")))
                .filter(warning -> warning.contains("_body_bytes"))
                .toList();
    }
}
