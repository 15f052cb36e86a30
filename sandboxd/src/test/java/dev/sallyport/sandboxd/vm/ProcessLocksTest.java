package dev.sallyport.sandboxd.vm;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Locks of files. */
class ProcessLocksTest {

    @TempDir
    Path folder;

    @Test
    void oneHasAFileUntilItLetsGo() throws Exception {
        Path file = folder.resolve("lock");
        try (ProcessLocks first = new ProcessLocks();
                ProcessLocks second = new ProcessLocks()) {
            assertThat(first.take(file)).isTrue();
            assertThat(second.take(file)).isFalse();

            first.close();

            assertThat(second.take(file)).isTrue();
        }
    }
}
