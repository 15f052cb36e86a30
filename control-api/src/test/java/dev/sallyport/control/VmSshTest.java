package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sallyport.sandbox.VmException;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The SSH port of a VM leads to its guest's sshd, byte for byte; docs/spec/decisions.md, section 15a, "VMs". */
@Timeout(120)
class VmSshTest {

    private static final TestControl CONTROL = TestControl.with(
            TestControl.NO_LIMITS + "  sandboxes: {driver: fake, ssh: {ports: 10000-32767, connections_per_vm: 20}}\n");

    private Api api;
    private Sandbox vm;
    private int port;

    @BeforeEach
    void begin() {
        api = CONTROL.newAccount();
        vm = Sandbox.ready(api, "a");
        port = api.get(vm.path() + "/ssh").json().path("port").asInt();
    }

    @AfterAll
    static void end() {
        CONTROL.close();
    }

    @Test
    void itLeadsToThisGuestAndNoOther() throws Exception {
        Sandbox other = Sandbox.ready(api, "b");
        int otherPort = api.get(other.path() + "/ssh").json().path("port").asInt();

        try (SshClient one = SshClient.to(port);
                SshClient two = SshClient.to(otherPort)) {
            assertThat(one.readBanner()).isEqualTo("SSH-2.0-fake_" + vm.id());
            assertThat(two.readBanner()).isEqualTo("SSH-2.0-fake_" + other.id());
        }
    }

    @Test
    void theEndOfOneDirectionLeavesTheOtherOpen() throws Exception {
        try (SshClient client = SshClient.to(port)) {
            client.readBanner();
            client.send("hello");
            client.endOutput();

            assertThat(client.readAll()).isEqualTo("hello");
        }
    }

    @Test
    void whatIsMoreThanAnyBufferComesWholeAndInOrder() throws Exception {
        byte[] much = new byte[32 << 20];
        for (int i = 0; i < much.length; i++) {
            much[i] = (byte) (i * 31 + (i >>> 12));
        }
        try (SshClient client = SshClient.to(port)) {
            client.readBanner();
            CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
                try {
                    client.out().write(much);
                    client.endOutput();
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            });
            Thread.sleep(200); // until nothing more fits anywhere, so that the relay has to hold back

            byte[] back = client.in().readAllBytes();

            writer.join();
            assertThat(Arrays.equals(back, much)).isTrue();
        }
    }

    @Test
    void aStopEndsConnectionsAndTheNextOneIsTurnedAway() throws Exception {
        try (SshClient client = SshClient.to(port)) {
            client.readBanner();

            vm.stop();
            vm.until("stopped/stopped");

            assertThat(endOf(client)).isTrue();
        }
        try (SshClient late = SshClient.to(port)) {
            assertThat(endOf(late)).isTrue();
        }
        vm.start();
        vm.until("running/ready");
        try (SshClient again = SshClient.to(port)) {
            assertThat(again.readBanner()).startsWith("SSH-2.0-fake_");
        }
    }

    private static boolean endOf(SshClient client) {
        try {
            return client.in().read() < 0;
        } catch (IOException e) {
            return true; // reset
        }
    }

    @Test
    void aGuestThatEndsTakesItsConnectionsWithIt() throws Exception {
        try (SshClient client = SshClient.to(port)) {
            client.readBanner();

            endGuest();

            assertThat(endOf(client)).isTrue();
        }
    }

    private void endGuest() throws VmException {
        CONTROL.sandboxes().end(vm.driverId());
    }

    @Test
    void thePortIsGivenBackAtTheEnd() {
        vm.force();
        vm.until("destroyed/destroyed");

        assertThatThrownBy(() -> SshClient.to(port)).isInstanceOf(ConnectException.class);
    }

    @Test
    void connectionsAreBounded() throws Exception {
        List<SshClient> open = new ArrayList<>();
        try {
            for (int i = 0; i < 20; i++) {
                SshClient client = SshClient.to(port);
                open.add(client);
                assertThat(banner(client)).as("connection " + i).startsWith("SSH-");
            }
            Thread.sleep(2_200); // until as many attempts are allowed again: these are too many open ones
            for (int i = 0; i < 5; i++) {
                SshClient late = SshClient.to(port);
                open.add(late);
                assertThat(banner(late)).isEmpty();
            }
            for (SshClient client : open) {
                client.close();
            }
            await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
                try (SshClient client = SshClient.to(port)) {
                    assertThat(banner(client)).startsWith("SSH-");
                }
            });
        } finally {
            for (SshClient client : open) {
                client.close();
            }
        }
    }

    @Test
    void attemptsAreBounded() throws Exception {
        int served = 0;
        for (int i = 0; i < 60; i++) {
            try (SshClient client = SshClient.to(port)) {
                served += banner(client).startsWith("SSH-") ? 1 : 0;
            }
        }
        assertThat(served).isBetween(1, 59);
    }

    private static String banner(SshClient client) {
        try {
            return client.readBanner();
        } catch (IOException e) {
            return ""; // turned away
        }
    }
}
