package dev.sallyport.it.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.sandboxd.Sandboxd;
import dev.sallyport.testsupport.Patience;
import java.nio.file.Files;

/** Guests of a {@link ScenarioMachine}, with its API and stock clients alone. */
final class ScenarioGuests {

    private final ScenarioMachine machine;

    ScenarioGuests(ScenarioMachine machine) {
        this.machine = machine;
    }

    String create(String name) throws Exception {
        return create(name, "");
    }

    /** @param more fields after name and key */
    String create(String name, String more) throws Exception {
        String key = Files.readString(machine.folder().resolve("id.pub")).strip();
        return machine.api(
                        "POST", "/v1/vms", "{\"name\": \"" + name + "\", \"public_key\": \"" + key + "\"" + more + "}")
                .path("id")
                .asText();
    }

    /** A snapshot of a VM, once VMs can be made from it. */
    String snapshot(String vm) throws Exception {
        String id = machine.api("POST", "/v1/vms/" + vm + "/snapshots", "{}")
                .at("/data/id")
                .asText();
        JsonNode seen = machine.api("GET", "/v1/snapshots/" + id, "");
        for (int i = 0; i < 1000 && !seen.at("/data/status").asText().equals("ready"); i++) {
            Thread.sleep(50);
            seen = machine.api("GET", "/v1/snapshots/" + id, "");
        }
        assertThat(seen.at("/data/status").asText())
                .as(seen + machine.log(Sandboxd.class))
                .isEqualTo("ready");
        return id;
    }

    void destroy(String vm) throws Exception {
        machine.api("POST", "/v1/vms/" + vm + "/stop", "");
        until(vm, "stopped");
        machine.api("DELETE", "/v1/vms/" + vm, "");
        until(vm, "destroyed");
    }

    void until(String vm, String detail) throws Exception {
        long end = System.nanoTime() + Patience.seconds(100).toNanos();
        String seen = "";
        while (!seen.equals(detail) && !seen.equals("failed") && System.nanoTime() < end) {
            Thread.sleep(50);
            seen = machine.api("GET", "/v1/vms/" + vm, "").path("status_detail").asText();
        }
        assertThat(seen)
                .as(machine.api("GET", "/v1/vms/" + vm + "/events", "").toString() + machine.log(Sandboxd.class))
                .isEqualTo(detail);
    }

    /** Runs a script in a VM by a stock client, as the API says. */
    String ssh(String vm, String script) throws Exception {
        return new ScenarioClient(machine, vm).script(script);
    }

    /** What a guest gets of an origin: the line of its status. */
    String get(String vm, String address) throws Exception {
        return ssh(
                        vm,
                        "exec 3<>/dev/tcp/" + address + "/80; printf 'GET / HTTP/1.1\\r\\nHost: " + address
                                + "\\r\\nConnection: close\\r\\n\\r\\n' >&3; timeout 10 head -1 <&3")
                .strip();
    }

    /** How many packets of a guest the network has refused. */
    long refused(String vm) throws Exception {
        return machine.api("GET", "/v1/vms/" + vm + "/counters", "")
                .path("refused")
                .asLong(-1);
    }
}
