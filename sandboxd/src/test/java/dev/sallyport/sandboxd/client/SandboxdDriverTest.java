package dev.sallyport.sandboxd.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.sandbox.SnapshotId;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandbox.VmId;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A sandboxd that hangs holds up nobody for ever. */
@Timeout(60)
class SandboxdDriverTest {

    private static final VmId ID = new VmId("vm_" + "a".repeat(26));

    @TempDir
    Path folder;

    private static void isUnavailable(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        VmException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNAVAILABLE))
                .hasMessageContaining("has not answered within");
    }

    @Test
    void anAnswerThatDoesNotComeIsUnavailable() throws Exception {
        Path socket = folder.resolve("s");
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
                SandboxdDriver driver = new SandboxdDriver(
                        socket,
                        null,
                        new SandboxdDriver.Patience(
                                Duration.ofMillis(200), Duration.ofMillis(200), Duration.ofMillis(200)))) {
            listener.bind(UnixDomainSocketAddress.of(socket)); // connections are made, and nobody accepts them

            isUnavailable(driver::availability);
            isUnavailable(driver::observeAll);
            isUnavailable(() -> driver.start(ID));
            isUnavailable(() -> driver.stop(ID, Duration.ofMillis(300)));
            isUnavailable(() -> driver.destroy(ID));
            isUnavailable(() -> driver.seal(new SnapshotId("snap_" + "a".repeat(26))));
        }
    }

    @Test
    void aStopHasItsGraceOnTop() throws Exception {
        Path socket = folder.resolve("s");
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
                SandboxdDriver driver = new SandboxdDriver(
                        socket,
                        null,
                        new SandboxdDriver.Patience(
                                Duration.ofMillis(50), Duration.ofMillis(50), Duration.ofMillis(50)))) {
            listener.bind(UnixDomainSocketAddress.of(socket));
            long begin = System.nanoTime();

            isUnavailable(() -> driver.stop(ID, Duration.ofMillis(800)));

            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofMillis(800));
        }
    }
}
