package dev.sallyport.it.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.sandboxd.Sandboxd;
import dev.sallyport.testsupport.Patience;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A machine with real guests that boots anew in the middle of things: what it ends is ended, and what the API says afterwards
 * is true. Needs root, what the driver needs, and an image in {@code TEST_SANDBOX_IMAGE}.
 */
@Tag("long")
@Timeout(600)
class SandboxRebootTest {

    private ScenarioMachine machine;
    private ScenarioGuests guests;

    @AfterEach
    void close() throws Exception {
        if (machine != null) {
            machine.close();
        }
    }

    @ParameterizedTest
    @CsvSource({"oci, sandboxd", "oci, control plane"})
    void whatABootEndsIsStoppedAndStartsAgainWithItsFiles(String driver, String first) throws Exception {
        machine = ScenarioMachine.open(driver);
        guests = new ScenarioGuests(machine);
        machine.signUp("first@example.com");
        machine.api("POST", "/v1/egress/rules", "{\"cidr\": \"10.99.2.1/32\"}");
        machine.api(
                "POST", "/v1/secrets", "{\"name\": \"github\", \"secret\": \"s3cr3t\", \"env_var\": \"GITHUB_TOKEN\"}");
        String running = ready("running");
        String stopped = ready("stopped");
        String source = ready("source");
        String snapshot = guests.snapshot(source);
        String fork = guests.create("fork", ", \"snapshot_id\": \"" + snapshot + "\"");
        guests.until(fork, "ready");
        guests.ssh(fork, "echo fork > /root/own; sync");
        Map<String, String> ports = ports(running, stopped, source, fork);
        machine.api("POST", "/v1/vms/" + stopped + "/stop", "");
        guests.until(stopped, "stopped");

        String ending = ready("ending");
        String ended = ready("ended");
        machine.api("POST", "/v1/vms/" + ended + "/stop", "");
        guests.until(ended, "stopped");
        String begun = guests.create("begun");
        String half = machine.api("POST", "/v1/vms/" + source + "/snapshots", "{}")
                .at("/data/id")
                .asText();
        machine.api("POST", "/v1/vms/" + ending + "/stop", "");
        machine.api("DELETE", "/v1/vms/" + ended, "");
        machine.losePower();

        assertThat(machine.traces().found().keySet())
                .as("it is a boot")
                .isSubsetOf(Set.of("files", "layers", "snapshots"));
        boot(first);

        for (String vm : List.of(running, stopped, source, fork, ending)) {
            guests.until(vm, "stopped");
        }
        guests.until(ended, "destroyed");
        awaitEnd(begun);
        awaitSnapshot(half);
        for (String vm : List.of(running, stopped, source, fork)) {
            machine.api("POST", "/v1/vms/" + vm + "/start", "");
            guests.until(vm, "ready");
            assertThat(guests.ssh(vm, "cat /root/own; echo $GITHUB_TOKEN; ls /run/before /tmp/before 2> /dev/null"))
                    .isEqualTo(name(vm) + "\nSALLYPORT_PROXY_github\n");
            assertThat(guests.get(vm, "10.99.2.1")).isEqualTo("HTTP/1.1 200 OK");
            assertThat(guests.get(vm, "10.99.2.2")).startsWith("HTTP/1.1 403");
        }
        assertThat(ports(running, stopped, source, fork)).isEqualTo(ports);
        String later = guests.create("later", ", \"snapshot_id\": \"" + snapshot + "\"");
        guests.until(later, "ready");
        assertThat(guests.ssh(later, "cat /root/own")).isEqualTo("source\n");

        for (String vm : List.of(running, stopped, source, fork, ending, begun, later)) {
            machine.api("DELETE", "/v1/vms/" + vm + "?force=true", "");
            guests.until(vm, "destroyed");
        }
        machine.api("DELETE", "/v1/snapshots/" + snapshot, "");
        machine.api("DELETE", "/v1/snapshots/" + half, "");
        for (String folder : List.of("vms", "snapshots", "layers")) {
            machine.untilEmpty(folder);
        }
        assertThat(machine.traces().found()).isEmpty();
        machine.end(SandboxMachine.class);
        machine.end(Sandboxd.class);
        assertThat(machine.traces().remains()).isEmpty();
    }

    /** A guest with a file that stays, and two that end with it. */
    private String ready(String name) throws Exception {
        String vm = guests.create(name);
        guests.until(vm, "ready");
        guests.ssh(vm, "echo " + name + " > /root/own; sync; touch /run/before /tmp/before");
        return vm;
    }

    private void boot(String first) throws Exception {
        if (first.equals("sandboxd")) {
            machine.beginSandboxd();
            machine.beginControlPlane();
        } else {
            machine.launchControlPlane();
            machine.beginSandboxd();
            machine.awaitControlPlane();
        }
    }

    /** Where VMs are reached, and by which keys they prove themselves. */
    private Map<String, String> ports(String... vms) throws Exception {
        Map<String, String> ports = new TreeMap<>();
        for (String vm : vms) {
            ports.put(
                    vm,
                    machine.api("GET", "/v1/vms/" + vm + "/ssh/host-keys", "")
                            .path("known_hosts")
                            .asText());
        }
        return ports;
    }

    private String name(String vm) throws Exception {
        return machine.api("GET", "/v1/vms/" + vm, "").path("name").asText();
    }

    /** A creation goes on; a guest that had booted and has gone is stopped. */
    private void awaitEnd(String vm) throws Exception {
        JsonNode seen = machine.api("GET", "/v1/vms/" + vm, "");
        for (int i = 0;
                i < 20 * Patience.SECONDS && seen.path("status").asText().equals("pending");
                i++) {
            Thread.sleep(50);
            seen = machine.api("GET", "/v1/vms/" + vm, "");
        }
        assertThat(seen.path("status").asText())
                .as(machine.api("GET", "/v1/vms/" + vm + "/events", "").toString())
                .isIn("running", "stopped");
    }

    /** A copy that was being taken has come to nothing, one that was taken is stored. */
    private void awaitSnapshot(String id) throws Exception {
        String status = "pending";
        for (int i = 0; i < 20 * Patience.SECONDS && !List.of("ready", "failed").contains(status); i++) {
            Thread.sleep(50);
            status = machine.api("GET", "/v1/snapshots/" + id, "")
                    .at("/data/status")
                    .asText();
        }
        assertThat(status).isIn("ready", "failed");
    }
}
