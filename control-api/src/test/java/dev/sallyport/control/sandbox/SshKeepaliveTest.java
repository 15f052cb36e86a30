package dev.sallyport.control.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sallyport.control.TestClock;
import dev.sallyport.sandbox.SshEndpoint;
import dev.sallyport.testsupport.NetworkNamespace;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.Ports;
import dev.sallyport.testsupport.Tools;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients and guests that vanish without a word, as those do whose cable is pulled. */
@Tag("long")
@Timeout(120)
class SshKeepaliveTest {

    private static final String VM = "vm";
    private static final String BANNER = "SSH-2.0-test\n";
    private static final Keepalive SHORT = new Keepalive(1, 1, 2);

    /** Of a network that is for tests of such (RFC 2544): another four addresses for each process. */
    private static final int NUMBER = (int) (ProcessHandle.current().pid() % (1 << 14)) << 2;

    private static final String HERE = address(1);
    private static final String THERE = address(2);

    private final TestClock clock = new TestClock();
    private NetworkNamespace far;
    private ServerSocket guest;
    private SshPorts ports;
    private int port;

    private static String address(int last) {
        return "198.18." + (NUMBER >> 8) + "." + ((NUMBER & 0xFF) + last);
    }

    @BeforeEach
    void begin() throws Exception {
        guest = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::serve);
        port = Ports.unused();
    }

    private void serve() {
        while (!guest.isClosed()) {
            try {
                Socket client = guest.accept();
                Thread.ofVirtual().start(() -> greet(client));
            } catch (IOException e) {
                return; // it was closed
            }
        }
    }

    /** Says nothing more, and ends when its client has. */
    private static void greet(Socket client) {
        try (client) {
            client.getOutputStream().write(BANNER.getBytes(StandardCharsets.UTF_8));
            client.getInputStream().transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            // Its client is gone.
        }
    }

    @AfterEach
    void end() throws Exception {
        if (ports != null) {
            ports.close();
        }
        if (far != null) {
            Tools.run("ip", "link", "del", far.name()); // with its other end
            far.close();
        }
        guest.close();
    }

    private void relay(Keepalive keepalive, int connections, SshEndpoint target) throws IOException {
        SandboxSettings.Ssh settings = new SandboxSettings.Ssh("0.0.0.0", port, port, "localhost", connections);
        ports = new SshPorts(settings, clock, keepalive);
        ports.lead(VM, port, target);
    }

    private SshEndpoint guestHere() {
        return new SshEndpoint(guest.getInetAddress().getHostAddress(), guest.getLocalPort());
    }

    /** Another machine, at a cable. */
    private void plug() throws Exception {
        Tools.require("bash", "python3");
        far = NetworkNamespace.add("keep-");
        Tools.run("ip", "link", "add", far.name(), "type", "veth", "peer", "name", "far0", "netns", far.name());
        far.ip("addr add " + THERE + "/30 dev far0");
        far.ip("link set far0 up");
        Tools.run("ip", "addr", "add", HERE + "/30", "dev", far.name());
        Tools.run("ip", "link", "set", far.name(), "up");
    }

    /** Whatever it sends is lost from now on. What would show here that the cable is out is no matter of the relay. */
    private void pull() throws Exception {
        far.ip("route add blackhole " + HERE);
    }

    private Process there(String... command) throws IOException {
        return new ProcessBuilder(far.command(List.of(command)))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static String line(InputStream stream) throws IOException {
        return new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8)).readLine();
    }

    private Socket connect() throws IOException {
        Socket client = new Socket(InetAddress.getLoopbackAddress(), port);
        client.setSoTimeout(Patience.MILLIS);
        return client;
    }

    private boolean isLetIn() {
        try (Socket client = connect()) {
            return line(client.getInputStream()) != null;
        } catch (IOException e) {
            return false; // turned away
        }
    }

    /** One that is there and as silent, and connected earlier, keeps its place meanwhile. */
    @Test
    void aClientThatVanishesGivesItsPlaceBackAndCountsAsLoggedInNoMore() throws Exception {
        plug();
        relay(SHORT, 2, guestHere());
        Socket silent = connect();
        Process client = there(
                "bash",
                "-c",
                "exec 3<>/dev/tcp/" + HERE + "/" + port + "; read -r l <&3; echo \"$l\"; exec sleep 1000");
        try (silent) {
            assertThat(line(silent.getInputStream())).isEqualTo(BANNER.strip());
            assertThat(line(client.getInputStream())).isEqualTo(BANNER.strip());
            clock.advance(Duration.ofHours(1));
            assertThat(isLetIn()).isFalse();

            pull();

            await().atMost(Patience.usual()).until(this::isLetIn);
            silent.setSoTimeout(1);
            assertThatThrownBy(() -> silent.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
            silent.close();
            await().atMost(Patience.usual()).until(() -> {
                clock.advance(Duration.ofHours(1));
                return clock.millis() - ports.usedAt(VM) >= Duration.ofHours(1).toMillis(); // zero while it is in use
            });
        } finally {
            client.destroyForcibly().waitFor();
        }
    }

    @Test
    void aGuestThatVanishesEndsTheConnectionOfItsClient() throws Exception {
        plug();
        Process sshd = there("python3", "-uc", """
                import socket, time
                listener = socket.create_server(("%s", 22))
                print("up")
                client, _ = listener.accept()
                client.send(b"SSH-2.0-far\\n")
                time.sleep(1000)
                """.formatted(THERE));
        try {
            assertThat(line(sshd.getInputStream())).isEqualTo("up");
            relay(SHORT, 1, new SshEndpoint(THERE, 22));
            try (Socket client = connect()) {
                assertThat(line(client.getInputStream())).isEqualTo("SSH-2.0-far");

                pull();

                assertThat(hasEnded(client)).isTrue();
            }
        } finally {
            sshd.destroyForcibly().waitFor();
        }
    }

    private static boolean hasEnded(Socket client) throws IOException {
        try {
            return client.getInputStream().read() < 0;
        } catch (SocketTimeoutException e) {
            throw e;
        } catch (IOException e) {
            return true; // reset
        }
    }

    @Test
    void bothSidesAreAskedWithinTwoMinutes() throws Exception {
        Tools.require("ss");
        relay(Keepalive.USUAL, 1, guestHere());
        try (Socket client = connect()) {
            assertThat(line(client.getInputStream())).isEqualTo(BANNER.strip());

            String sockets = Tools.run("ss", "-tnoH");

            assertThat(sockets)
                    .as("the one of the client")
                    .containsPattern(asked(port, client.getLocalPort()))
                    .as("the one of the guest")
                    .containsPattern(asked(-1, guest.getLocalPort()));
        }
    }

    /** A connection that asks within thirty seconds. */
    private static Pattern asked(int local, int remote) {
        String from = local < 0 ? "\\d+" : String.valueOf(local);
        return Pattern.compile(
                ":" + from + " +\\S+:" + remote + " +timer:\\(keepalive,([12]?[0-9]|30)(sec|\\.\\d+ms|ms)");
    }
}
