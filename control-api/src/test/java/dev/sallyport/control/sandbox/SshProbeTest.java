package dev.sallyport.control.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.sandbox.SshEndpoint;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whether an sshd answers, asked of guests that are slow on purpose. */
@Timeout(30)
class SshProbeTest {

    private static boolean answers(String banner, long pauseMillis) throws IOException {
        try (ServerSocket guest = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> talk(guest, banner, pauseMillis));
            return SshProbe.answers(new SshEndpoint(guest.getInetAddress().getHostAddress(), guest.getLocalPort()));
        }
    }

    private static void talk(ServerSocket guest, String banner, long pauseMillis) {
        try (Socket client = guest.accept()) {
            for (byte next : banner.getBytes(StandardCharsets.US_ASCII)) {
                Thread.sleep(pauseMillis);
                client.getOutputStream().write(next);
            }
        } catch (IOException e) {
            Thread.currentThread().interrupt(); // the probe has gone, and so does the guest
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void aBannerIsAnAnswerAndSomethingElseIsNone() throws IOException {
        assertThat(answers("SSH-2.0-OpenSSH\r\n", 0)).isTrue();
        assertThat(answers("HTTP/1.1 400\r\n", 0)).isFalse();
        assertThat(answers("SSH", 0)).isFalse();
    }

    @Test
    void oneThatComesByteByByteTakesNoLongerThanOneThatDoesNotCome() throws IOException {
        assertThat(answers("SSH-2.0-OpenSSH\r\n", 300)).isFalse();
    }
}
