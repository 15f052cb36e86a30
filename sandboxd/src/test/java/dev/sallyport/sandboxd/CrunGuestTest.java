package dev.sallyport.sandboxd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.sandbox.Availability;
import dev.sallyport.sandbox.GuestVariables;
import dev.sallyport.sandbox.Observed;
import dev.sallyport.sandbox.VmId;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** crun makes the same of a guest where version 1 of control groups is alone. */
@Tag("long")
class CrunGuestTest {

    private static Host host;

    @BeforeAll
    static void open() throws Exception {
        host = Host.openWithCrunAndVersion1();
    }

    @AfterAll
    static void close() throws Exception {
        if (host != null) {
            host.close();
        }
    }

    @Test
    void aGuestLivesAndLeavesNothing() throws Exception {
        assertThat(host.driver().availability())
                .isInstanceOfSatisfying(
                        Availability.Available.class,
                        available -> assertThat(available.details().getFirst()).startsWith("runtime: crun"));

        VmId id = host.boot(2);
        assertThat(host.ssh(2, "grep -E 'CapEff|NoNewPrivs|Seccomp:' /proc/self/status | tr -d '\\n\\t'"))
                .isEqualTo("CapEff:00000000800400fbNoNewPrivs:1Seccomp:2");
        assertThat(host.ssh(2, "perl -e 'syscall(272, 0x10000000); print $!+0'"))
                .isEqualTo("38");
        assertThat(host.ssh(2, "perl -e '$x = \"a\" x 500_000_000; print length $x' 2>&1"))
                .doesNotContain("500000000");
        assertThat(host.ssh(2, "(echo 1 > /proc/sys/kernel/panic) 2>&1; (echo 1 > /sys/x) 2>&1"))
                .contains("Read-only file system");
        host.driver().refresh(id, new GuestVariables(Map.of("TOKEN", "another one")));
        assertThat(host.ssh(2, ". /etc/profile; echo $TOKEN")).isEqualTo("another one\n");
        host.driver().stop(id, Duration.ofSeconds(5));
        assertThat(host.driver().observe(id)).isEqualTo(new Observed.Stopped());
        host.driver().start(id);
        host.awaitSsh(2);
        host.killSandboxd();
        host.startSandboxd();
        assertThat(host.driver().observe(id)).isInstanceOf(Observed.Running.class);
        host.driver().destroy(id);
        assertThat(host.traces()).isEmpty();
    }
}
