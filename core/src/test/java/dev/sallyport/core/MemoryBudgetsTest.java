package dev.sallyport.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.Location;
import dev.sallyport.core.config.Locations;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.config.ProxyLimits;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MemoryBudgetsTest {

    private static final long MIB = 1 << 20;
    private static final Location HERE = new Location("proxy.yaml", 1, 1);
    private static final String OPEN = "upstream_deny_cidrs: []";

    @Test
    void unsetLimitsArePartsOfTheHeap() {
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
    void bodiesAreAlsoAPartOfTheMemoryBesideTheHeap() {
        assertThat(MemoryBudgets.of(limits(OPEN), 1024 * MIB, 64 * MIB).bodies())
                .isEqualTo(16 * MIB);
    }

    @Test
    void whatIsConfiguredCounts() {
        ProxyLimits limits = limits(OPEN, "limits: {buffered_bytes: 512MiB, buffered_head_bytes: 3MiB}");

        MemoryBudgets memory = MemoryBudgets.of(limits, 256 * MIB, 256 * MIB);

        assertThat(memory.bodies()).isEqualTo(512 * MIB);
        assertThat(memory.heads()).isEqualTo(3 * MIB);
    }

    @Test
    void derivedLimitsFit() {
        for (long heap : new long[] {16, 32, 64, 256, 4096}) {
            assertThat(misfit(limits(OPEN), heap * MIB, heap * MIB)).isEmpty();
        }
    }

    @Test
    void limitsThatDoNotFitAreTold() {
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

    private static String misfit(ProxyLimits limits, long heap, long direct) {
        ConfigProblem found = MemoryBudgets.of(limits, heap, direct)
                .misfit("/proxy/limits/buffered_bytes", Locations.everywhere(HERE));
        return found == null ? "" : found.toString();
    }

    private static ProxyLimits limits(String... lines) {
        String text = """
                dns: {enabled: false}
                proxy:
                  %s
                tls: {mode: sni-only}
                """.formatted(String.join("\n  ", lines));
        ConfigResult result =
                ConfigLoader.load("proxy.yaml", text, Path.of(""), Map.of(), PluginCatalog.of(List.of(), List.of()));
        return ((ConfigResult.Loaded) result).config().proxy().limits();
    }
}
