package dev.sallyport.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.Location;
import dev.sallyport.core.config.Locations;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.config.ProxyLimits;
import dev.sallyport.core.testing.TestProxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryBudgetsTest {

    private static final long MIB = 1 << 20;
    private static final Location HERE = new Location("proxy.yaml", 1, 1);
    private static final String OPEN = "upstream_deny_cidrs: []";

    @TempDir
    Path folder;

    @Test
    void unsetLimitsArePartsOfTheHeap() throws Exception {
        MemoryBudgets small = MemoryBudgets.of(limits(OPEN), 256 * MIB, 256 * MIB);
        assertThat(small.bodies()).isEqualTo(64 * MIB);
        assertThat(small.heads()).isEqualTo(32 * MIB);
        assertThat(small.captured()).isEqualTo(32 * MIB);

        MemoryBudgets large = MemoryBudgets.of(limits(OPEN), 65_536 * MIB, 65_536 * MIB);
        assertThat(large.bodies()).isEqualTo(256 * MIB);
        assertThat(large.heads()).isEqualTo(256 * MIB);
        assertThat(large.captured()).isEqualTo(64 * MIB);
    }

    @Test
    void bodiesAreAlsoAPartOfTheMemoryBesideTheHeap() throws Exception {
        assertThat(MemoryBudgets.of(limits(OPEN), 1024 * MIB, 64 * MIB).bodies())
                .isEqualTo(16 * MIB);
    }

    @Test
    void whatIsConfiguredCounts() throws Exception {
        ProxyLimits limits = limits(OPEN, "limits: {buffered_bytes: 512MiB, buffered_head_bytes: 3MiB}");

        MemoryBudgets memory = MemoryBudgets.of(limits, 256 * MIB, 256 * MIB);

        assertThat(memory.bodies()).isEqualTo(512 * MIB);
        assertThat(memory.heads()).isEqualTo(3 * MIB);
    }

    @Test
    void derivedLimitsFit() throws Exception {
        for (long heap : new long[] {16, 32, 64, 256, 4096}) {
            assertThat(misfit(limits(OPEN), heap * MIB, heap * MIB)).isEmpty();
        }
    }

    @Test
    void limitsThatDoNotFitAreTold() throws Exception {
        ProxyLimits limits = limits(OPEN, "limits: {buffered_bytes: 256MiB}");

        assertThat(misfit(limits, 256 * MIB, 256 * MIB))
                .isEqualTo(
                        "proxy.yaml:1:1: /proxy/limits/buffered_bytes: buffered_bytes (256MiB) and buffered_head_bytes (32MiB) do not"
                                + " fit a heap of 256MiB (expected: at most 160MiB together, or a larger -Xmx)");
        assertThat(misfit(limits, 4096 * MIB, 64 * MIB))
                .isEqualTo(
                        "proxy.yaml:1:1: /proxy/limits/buffered_bytes: 256MiB do not fit the 64MiB of memory beside the heap"
                                + " (expected: less, or a larger -XX:MaxDirectMemorySize)");
    }

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

    private static String misfit(ProxyLimits limits, long heap, long direct) {
        ConfigProblem found = MemoryBudgets.of(limits, heap, direct)
                .misfit("/proxy/limits/buffered_bytes", Locations.everywhere(HERE));
        return found == null ? "" : found.toString();
    }

    private ProxyLimits limits(String... lines) throws Exception {
        try (TestProxy proxy = TestProxy.builder(folder).proxyLines(lines).start()) {
            return proxy.proxy().config().proxy().limits();
        }
    }
}
