package dev.sallyport.sandboxd.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.sandbox.FakeDriver;
import dev.sallyport.sandbox.GuestSetup;
import dev.sallyport.sandbox.GuestVariables;
import dev.sallyport.sandbox.ImageName;
import dev.sallyport.sandbox.NetworkLease;
import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandbox.VmLimits;
import dev.sallyport.sandbox.VmSpec;
import dev.sallyport.sandboxd.client.SandboxdDriver;
import dev.sallyport.sandboxd.wire.Members;
import dev.sallyport.testsupport.Patience;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** VMs with all variables that an account may have, over a real socket. */
class LongRequestTest {

    @TempDir
    Path folder;

    private final FakeDriver fake = new FakeDriver();
    private SocketServer server;
    private SandboxdDriver driver;

    @BeforeEach
    void open() throws IOException {
        Path socket = folder.resolve("s");
        server = SocketServer.open(socket, Files.getOwner(Path.of("/proc/self")), fake);
        driver = new SandboxdDriver(socket);
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    private static VmId id(int number) {
        return new VmId("vm_%026d".formatted(number));
    }

    /** With 1 MiB of variables, each character six in JSON, and the placeholders of 1,000 secrets. */
    private static VmSpec spec(int number) throws Exception {
        Map<String, String> environment = new HashMap<>();
        for (int i = 0; i < 16; i++) {
            environment.put("V" + i, "\u0001".repeat(64 << 10));
        }
        for (int i = 0; i < 1000; i++) {
            String end = "%04d".formatted(i);
            environment.put("S".repeat(124) + end, "SALLYPORT_PROXY_" + "n".repeat(60) + end);
        }
        return new VmSpec(
                new ImageName("debian-12"),
                new VmLimits(1 << 28, 500, 100, 1 << 30),
                new NetworkLease(Members.address("address", "10.77.0." + number)),
                new GuestSetup("guest", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA me", environment));
    }

    @Test
    void aVmHasAllVariablesThatAnAccountMayHave() throws Exception {
        driver.create(id(2), spec(2));

        assertThat(fake.spec(id(2))).contains(spec(2));
        driver.start(id(2));
        driver.refresh(id(2), new GuestVariables(spec(3).guest().environment()));
        assertThat(fake.refreshes(id(2))).isEqualTo(1);
    }

    @Test
    void longRequestsWaitForEachOtherAndShortOnesDoNot() throws Exception {
        Semaphore arrived = new Semaphore(0);
        fake.hold(id -> {
            arrived.release();
            return true;
        });
        List<Future<?>> creations = new ArrayList<>();
        for (int i = 2; i < 8; i++) {
            creations.add(create(i));
        }
        assertThat(arrived.tryAcquire(4, Patience.SECONDS, TimeUnit.SECONDS)).isTrue();

        assertThat(driver.images()).isEqualTo(fake.images());
        assertThat(arrived.availablePermits()).isZero();

        fake.hold(null);
        for (Future<?> creation : creations) {
            creation.get(Patience.SECONDS, TimeUnit.SECONDS);
        }
        assertThat(driver.observeAll()).hasSize(6);
    }

    private Future<?> create(int number) {
        CompletableFuture<Void> created = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                driver.create(id(number), spec(number));
                created.complete(null);
            } catch (Exception e) {
                created.completeExceptionally(e);
            }
        });
        return created;
    }
}
