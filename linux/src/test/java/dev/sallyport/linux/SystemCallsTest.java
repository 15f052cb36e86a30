package dev.sallyport.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sallyport.linux.SystemCalls.Call;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls that need no rights. */
class SystemCallsTest {

    private static final int SEEK_END = 2;

    @TempDir
    private Path folder;

    private SystemCalls calls;

    @BeforeEach
    void open() throws UnavailableException {
        assumeTrue(Runtime.version().feature() >= 22, "needs Java 22");
        calls = SystemCalls.open();
    }

    @Test
    void aFileIsOpenedUsedAndClosed() throws Exception {
        Path file = Files.write(folder.resolve("a file"), new byte[5]);

        int descriptor = calls.open(file, 0);
        assertThat(calls.make("the end", Call.LSEEK, descriptor, 0, SEEK_END)).isEqualTo(5);
        calls.close(descriptor);

        assertThatExceptionOfType(SystemCallException.class)
                .isThrownBy(() -> calls.close(descriptor))
                .withMessage("closing a file: the descriptor is none (EBADF)");
    }

    @Test
    void whatFailsIsNamedWithItsError() {
        Path file = folder.resolve("nothing");

        assertThatExceptionOfType(SystemCallException.class)
                .isThrownBy(() -> calls.open(file, 0))
                .withMessage("opening " + file + ": no such file (ENOENT)")
                .satisfies(e -> assertThat(e.errno()).isEqualTo(SystemCallException.ENOENT));
    }

    @Test
    void anArgumentIsANumberOrMemory() {
        assertThatIllegalArgumentException().isThrownBy(() -> calls.makeWith("nothing", Call.CLOSE, "1"));
    }

    @Test
    void twoThatAreReadyDoNotShareTheirErrors() throws Exception {
        SystemCalls others = SystemCalls.open();

        assertThatExceptionOfType(SystemCallException.class)
                .isThrownBy(() -> others.close(-1))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(9));
        assertThatExceptionOfType(SystemCallException.class).isThrownBy(() -> calls.open(folder.resolve("nothing"), 0));
    }
}
