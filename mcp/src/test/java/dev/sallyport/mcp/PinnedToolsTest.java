package dev.sallyport.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How much is remembered of the tools of workloads. */
class PinnedToolsTest {

    private final PinnedTools pins = new PinnedTools();

    @Test
    void aWorkloadThatSeesTooManyToolsLeavesOthersTheirs() {
        Origin greedy = new Origin("greedy", "a.test:443");
        for (int i = 0; i < PinnedTools.MAX_OF_WORKLOAD; i++) {
            assertThat(pins.see(greedy, "tool-" + i, "digest", null)).isEqualTo(PinnedTools.Sight.FIRST);
        }
        Origin elsewhere = new Origin("greedy", "b.test:443");
        assertThat(pins.see(elsewhere, "one-more", "digest", null)).isEqualTo(PinnedTools.Sight.CHANGED);
        assertThat(pins.see(elsewhere, "one-more", "digest", "digest")).isEqualTo(PinnedTools.Sight.SAME);
        assertThat(pins.see(greedy, "tool-0", "digest", null)).isEqualTo(PinnedTools.Sight.SAME);

        Origin modest = new Origin("modest", "a.test:443");
        assertThat(pins.see(modest, "tool", "digest", null)).isEqualTo(PinnedTools.Sight.FIRST);
        assertThat(pins.see(modest, "tool", "other", null)).isEqualTo(PinnedTools.Sight.CHANGED);
    }
}
