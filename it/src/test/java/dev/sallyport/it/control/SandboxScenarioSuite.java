package dev.sallyport.it.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.sandboxd.Sandboxd;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Real guests from the sign-up to their end, with curl and ssh alone, in a machine inside this one. Needs root, what the
 * driver needs, and an image in {@code TEST_SANDBOX_IMAGE}.
 */
@Timeout(600)
abstract class SandboxScenarioSuite {

    private ScenarioMachine machine;
    private ScenarioGuests guests;

    /** The driver whose guests they are. */
    abstract String driver();

    @BeforeEach
    void open() throws Exception {
        machine = ScenarioMachine.open(driver());
        guests = new ScenarioGuests(machine);
    }

    @AfterEach
    void close() throws Exception {
        if (machine != null) {
            machine.close();
        }
    }

    @Test
    void fromTheSignUpToTheEnd() throws Exception {
        machine.signUp("first@example.com");
        machine.api("POST", "/v1/egress/rules", "{\"cidr\": \"10.99.2.0/24\"}");
        machine.signUp("second@example.com");
        machine.api("POST", "/v1/egress/rules", "{\"cidr\": \"10.99.2.1/32\"}");
        machine.api(
                "POST", "/v1/secrets", "{\"name\": \"github\", \"secret\": \"s3cr3t\", \"env_var\": \"GITHUB_TOKEN\"}");
        machine.api("PUT", "/v1/env/GREETING", "{\"value\": \"it's me\"}");

        String vm = guests.create("box");
        guests.until(vm, "ready");

        assertThat(guests.ssh(vm, "id -u; hostname; echo \"$GITHUB_TOKEN $GREETING\""))
                .isEqualTo("0\nbox\nSALLYPORT_PROXY_github it's me\n");
        assertThat(guests.get(vm, "10.99.2.1")).isEqualTo("HTTP/1.1 200 OK");
        assertThat(guests.get(vm, "10.99.2.2"))
                .as("the first account's rule is none of it")
                .startsWith("HTTP/1.1 403");

        machine.api("PUT", "/v1/env/GREETING?wait=applied&timeout=30s", "{\"value\": \"another one\"}");
        assertThat(guests.ssh(vm, "echo \"$GITHUB_TOKEN $GREETING\""))
                .as(machine.log(Sandboxd.class))
                .isEqualTo("SALLYPORT_PROXY_github another one\n");

        long before = guests.refused(vm);
        guests.ssh(vm, "echo x > /dev/udp/192.0.2.7/443");
        assertThat(guests.refused(vm)).isGreaterThan(before);

        guests.ssh(vm, "echo kept > /root/kept");
        machine.api("POST", "/v1/vms/" + vm + "/stop", "");
        guests.until(vm, "stopped");
        machine.api("DELETE", "/v1/env/GREETING", "");
        machine.api("POST", "/v1/vms/" + vm + "/start", "");
        guests.until(vm, "ready");
        assertThat(guests.ssh(vm, "cat /root/kept; echo \"$GITHUB_TOKEN ${GREETING-none}\""))
                .isEqualTo("kept\nSALLYPORT_PROXY_github none\n");
        assertThat(guests.get(vm, "10.99.2.1")).isEqualTo("HTTP/1.1 200 OK");
        assertThat(guests.get(vm, "10.99.2.2")).startsWith("HTTP/1.1 403");

        guests.ssh(vm, "kill -TERM 1");
        guests.until(vm, "stopped");
        machine.api("DELETE", "/v1/vms/" + vm, "");
        guests.until(vm, "destroyed");
        try (Stream<Path> left = Files.list(machine.folder().resolve("vms"))) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void aSnapshotAndTwoForksThatOutliveItAndItsSource() throws Exception {
        machine.signUp("first@example.com");
        machine.api("POST", "/v1/egress/rules", "{\"cidr\": \"10.99.2.1/32\"}");
        machine.api(
                "POST", "/v1/secrets", "{\"name\": \"github\", \"secret\": \"s3cr3t\", \"env_var\": \"GITHUB_TOKEN\"}");
        String vm = guests.create("box");
        guests.until(vm, "ready");
        guests.ssh(vm, "echo kept > /root/kept");

        String snapshot = guests.snapshot(vm);
        String first = guests.create("first", ", \"snapshot_id\": \"" + snapshot + "\"");
        String second = guests.create("second", ", \"snapshot_id\": \"" + snapshot + "\"");
        guests.until(first, "ready");
        guests.until(second, "ready");

        assertThat(guests.ssh(first, "cat /root/kept; hostname; echo \"$GITHUB_TOKEN\""))
                .isEqualTo("kept\nfirst\nSALLYPORT_PROXY_github\n");
        for (String own : List.of("cat /etc/machine-id", "ssh-keygen -y -f /etc/ssh/sallyport_host_ed25519_key")) {
            assertThat(List.of(guests.ssh(vm, own), guests.ssh(first, own), guests.ssh(second, own)))
                    .as(own)
                    .allMatch(id -> id.length() > 32)
                    .doesNotHaveDuplicates();
        }
        assertThat(guests.get(first, "10.99.2.1")).isEqualTo("HTTP/1.1 200 OK");
        assertThat(guests.get(first, "10.99.2.2")).startsWith("HTTP/1.1 403");

        guests.ssh(first, "echo changed > /root/kept");
        guests.destroy(vm);
        machine.api("DELETE", "/v1/snapshots/" + snapshot, "");
        assertThat(guests.ssh(second, "cat /root/kept; hostname")).isEqualTo("kept\nsecond\n");
        assertThat(guests.get(second, "10.99.2.1")).isEqualTo("HTTP/1.1 200 OK");
        assertThat(guests.get(second, "10.99.2.2")).startsWith("HTTP/1.1 403");

        guests.destroy(first);
        guests.destroy(second);
        machine.untilEmpty("vms");
        machine.untilEmpty("layers");
    }
}
