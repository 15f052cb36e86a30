package dev.sallyport.sandboxd.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Processes, told apart by when they started. */
class HostProcessTest {

    @Test
    void aProcessLivesUntilItEnds() throws Exception {
        Process process = new ProcessBuilder("sleep", "1000").start();
        HostProcess seen = HostProcess.of(process.pid());

        assertThat(seen.isAlive()).isTrue();
        assertThat(seen.awaitEnd(Duration.ZERO)).isFalse();
        process.destroyForcibly();
        assertThat(seen.awaitEnd(Duration.ofSeconds(60))).isTrue();
        assertThat(seen.isAlive()).isFalse();
    }

    @Test
    void anotherProcessOfTheSameNumberIsAnother() throws Exception {
        HostProcess self = HostProcess.of(ProcessHandle.current().pid());

        assertThat(new HostProcess(self.pid(), self.startTicks() + 1).isAlive()).isFalse();
    }
}
