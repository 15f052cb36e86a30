package dev.sallyport.sandboxd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.sandbox.Observed;
import dev.sallyport.sandbox.VmId;
import dev.sallyport.testsupport.Patience;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/** Two guests with kernels of their own: one whose root tries to get out, and its neighbour, who notices nothing of it. */
abstract class TwoMachines {

    static final int GUEST = 2;
    static final int NEIGHBOUR = 3;

    static Host host;
    static VmId guest;
    static String boot;

    @BeforeAll
    static void open() throws Exception {
        host = Host.openQemu();
        guest = host.boot(GUEST);
        host.boot(NEIGHBOUR);
        boot = neighbour();
    }

    @AfterAll
    static void close() throws Exception {
        if (host != null) {
            host.close();
        }
    }

    /** A guest that a test has ended is another one for the next test. */
    @AfterEach
    void begin() throws Exception {
        theNeighbourNoticesNothing();
        if (!runs()) {
            revive();
        }
    }

    /** The neighbour has not been away, and answers in time. */
    static void theNeighbourNoticesNothing() throws Exception {
        long begin = System.nanoTime();
        assertThat(neighbour()).isEqualTo(boot);
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Patience.seconds(10));
    }

    static String neighbour() throws Exception {
        return host.ssh(NEIGHBOUR, "cat /proc/sys/kernel/random/boot_id");
    }

    static String ssh(String script) throws Exception {
        return host.ssh(GUEST, script).strip();
    }

    /** A new run of the same guest on a new disk, whatever the test did to the last one. */
    static void revive() throws Exception {
        host.driver().destroy(guest);
        guest = host.boot(GUEST);
    }

    static boolean runs() throws Exception {
        return host.driver().observe(guest) instanceof Observed.Running;
    }

    static void awaitStopped() throws Exception {
        long deadline = System.nanoTime() + Patience.usual().toNanos();
        while (runs() && System.nanoTime() < deadline) {
            Thread.sleep(20);
        }
        assertThat(host.driver().observe(guest)).isEqualTo(new Observed.Stopped());
    }

    static String pid() throws Exception {
        return host.run("pgrep", "-f", "qemu-system-x86_64 -name " + guest).strip();
    }

    static Path home() {
        return host.folder().resolve("vms").resolve(guest.value());
    }

    static long used(Path file) throws Exception {
        return 512
                * Long.parseLong(host.run("stat", "-c", "%b", file.toString()).strip());
    }

    /** What QEMU answers to a command of its machine protocol, as JSON. */
    static String ask(String command, String arguments) throws Exception {
        return host.run("python3", "-c", """
                import json, socket
                s = socket.socket(socket.AF_UNIX); s.connect("/run/sandboxd/qemu/%s/qmp"); f = s.makefile("rw")
                for c, a in ("qmp_capabilities", {}), ("%s", %s):
                    f.write(json.dumps({"execute": c, "arguments": a}) + "\\n"); f.flush()
                    while True:
                        answer = json.loads(f.readline())
                        if "return" in answer: break
                        assert "error" not in answer, answer
                told = answer["return"]
                print(told if isinstance(told, str) else json.dumps(told))
                """.formatted(guest, command, arguments));
    }
}
