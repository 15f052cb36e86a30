package dev.sallyport.it.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.sandboxd.Sandboxd;
import java.nio.charset.StandardCharsets;
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

    /** The driver whose guests they are. */
    abstract String driver();

    @BeforeEach
    void open() throws Exception {
        machine = ScenarioMachine.open(driver());
    }

    @AfterEach
    void close() throws Exception {
        if (machine != null) {
            machine.close();
        }
    }

    private JsonNode api(String method, String path, String body) throws Exception {
        return machine.api(method, path, body);
    }

    private void signUp(String email) throws Exception {
        machine.signUp(email);
    }

    private String create(String name) throws Exception {
        return create(name, "");
    }

    /** @param more fields after name and key */
    private String create(String name, String more) throws Exception {
        String key = Files.readString(machine.folder().resolve("id.pub")).strip();
        return api("POST", "/v1/vms", "{\"name\": \"" + name + "\", \"public_key\": \"" + key + "\"" + more + "}")
                .path("id")
                .asText();
    }

    /** A snapshot of a VM, once VMs can be made from it. */
    private String snapshot(String vm) throws Exception {
        String id =
                api("POST", "/v1/vms/" + vm + "/snapshots", "{}").at("/data/id").asText();
        JsonNode seen = api("GET", "/v1/snapshots/" + id, "");
        for (int i = 0; i < 1000 && !seen.at("/data/status").asText().equals("ready"); i++) {
            Thread.sleep(50);
            seen = api("GET", "/v1/snapshots/" + id, "");
        }
        assertThat(seen.at("/data/status").asText())
                .as(seen + machine.log(Sandboxd.class))
                .isEqualTo("ready");
        return id;
    }

    private void destroy(String vm) throws Exception {
        api("POST", "/v1/vms/" + vm + "/stop", "");
        until(vm, "stopped");
        api("DELETE", "/v1/vms/" + vm, "");
        until(vm, "destroyed");
    }

    private void until(String vm, String detail) throws Exception {
        JsonNode seen = api("GET", "/v1/vms/" + vm, "");
        for (int i = 0; i < 1000 && !seen.path("status_detail").asText().equals(detail); i++) {
            Thread.sleep(50);
            seen = api("GET", "/v1/vms/" + vm, "");
        }
        assertThat(seen.path("status_detail").asText())
                .as(api("GET", "/v1/vms/" + vm + "/events", "").toString() + machine.log(Sandboxd.class))
                .isEqualTo(detail);
    }

    /** Runs a script in a VM by a stock client, as the API says. */
    private String ssh(String vm, String script) throws Exception {
        JsonNode ssh = api("GET", "/v1/vms/" + vm + "/ssh", "");
        Path known = machine.folder().resolve("known_hosts");
        Files.writeString(
                known,
                api("GET", "/v1/vms/" + vm + "/ssh/host-keys", "")
                        .path("known_hosts")
                        .asText());
        // A file: ssh may end before it has taken all that a pipe would bring.
        Path input = Files.writeString(Files.createTempFile(machine.folder(), "script", ".sh"), script + "\n");
        Process client = new ProcessBuilder(machine.inside(List.of(
                        "ssh",
                        "-i",
                        machine.folder().resolve("id").toString(),
                        "-o",
                        "StrictHostKeyChecking=yes",
                        "-o",
                        "UserKnownHostsFile=" + known,
                        "-o",
                        "LogLevel=ERROR",
                        "-p",
                        ssh.path("port").asText(),
                        ssh.path("username").asText() + "@" + ssh.path("host").asText(),
                        "bash",
                        "-l")))
                .redirectInput(input.toFile())
                .redirectErrorStream(true)
                .start();
        String printed = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        client.waitFor();
        return printed;
    }

    /** What a guest gets of an origin: the line of its status. */
    private String get(String vm, String address) throws Exception {
        return ssh(
                        vm,
                        "exec 3<>/dev/tcp/" + address + "/80; printf 'GET / HTTP/1.1\\r\\nHost: " + address
                                + "\\r\\nConnection: close\\r\\n\\r\\n' >&3; timeout 10 head -1 <&3")
                .strip();
    }

    /** How many packets of a guest the network has refused. */
    private long refused(String vm) throws Exception {
        return api("GET", "/v1/vms/" + vm + "/counters", "").path("refused").asLong(-1);
    }

    @Test
    void fromTheSignUpToTheEnd() throws Exception {
        signUp("first@example.com");
        api("POST", "/v1/egress/rules", "{\"cidr\": \"10.99.2.0/24\"}");
        signUp("second@example.com");
        api("POST", "/v1/egress/rules", "{\"cidr\": \"10.99.2.1/32\"}");
        api("POST", "/v1/secrets", "{\"name\": \"github\", \"secret\": \"s3cr3t\", \"env_var\": \"GITHUB_TOKEN\"}");
        api("PUT", "/v1/env/GREETING", "{\"value\": \"it's me\"}");

        String vm = create("box");
        until(vm, "ready");

        assertThat(ssh(vm, "id -u; hostname; echo \"$GITHUB_TOKEN $GREETING\""))
                .isEqualTo("0\nbox\nSALLYPORT_PROXY_github it's me\n");
        assertThat(get(vm, "10.99.2.1")).isEqualTo("HTTP/1.1 200 OK");
        assertThat(get(vm, "10.99.2.2"))
                .as("the first account's rule is none of it")
                .startsWith("HTTP/1.1 403");

        api("PUT", "/v1/env/GREETING?wait=applied&timeout=30s", "{\"value\": \"another one\"}");
        assertThat(ssh(vm, "echo \"$GITHUB_TOKEN $GREETING\""))
                .as(machine.log(Sandboxd.class))
                .isEqualTo("SALLYPORT_PROXY_github another one\n");

        long before = refused(vm);
        ssh(vm, "echo x > /dev/udp/192.0.2.7/443");
        assertThat(refused(vm)).isGreaterThan(before);

        ssh(vm, "echo kept > /root/kept");
        api("POST", "/v1/vms/" + vm + "/stop", "");
        until(vm, "stopped");
        api("DELETE", "/v1/env/GREETING", "");
        api("POST", "/v1/vms/" + vm + "/start", "");
        until(vm, "ready");
        assertThat(ssh(vm, "cat /root/kept; echo \"$GITHUB_TOKEN ${GREETING-none}\""))
                .isEqualTo("kept\nSALLYPORT_PROXY_github none\n");
        assertThat(get(vm, "10.99.2.1")).isEqualTo("HTTP/1.1 200 OK");
        assertThat(get(vm, "10.99.2.2")).startsWith("HTTP/1.1 403");

        ssh(vm, "kill -TERM 1");
        until(vm, "stopped");
        api("DELETE", "/v1/vms/" + vm, "");
        until(vm, "destroyed");
        try (Stream<Path> left = Files.list(machine.folder().resolve("vms"))) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void aSnapshotAndTwoForksThatOutliveItAndItsSource() throws Exception {
        signUp("first@example.com");
        api("POST", "/v1/egress/rules", "{\"cidr\": \"10.99.2.1/32\"}");
        api("POST", "/v1/secrets", "{\"name\": \"github\", \"secret\": \"s3cr3t\", \"env_var\": \"GITHUB_TOKEN\"}");
        String vm = create("box");
        until(vm, "ready");
        ssh(vm, "echo kept > /root/kept");

        String snapshot = snapshot(vm);
        String first = create("first", ", \"snapshot_id\": \"" + snapshot + "\"");
        String second = create("second", ", \"snapshot_id\": \"" + snapshot + "\"");
        until(first, "ready");
        until(second, "ready");

        assertThat(ssh(first, "cat /root/kept; hostname; echo \"$GITHUB_TOKEN\""))
                .isEqualTo("kept\nfirst\nSALLYPORT_PROXY_github\n");
        for (String own : List.of("cat /etc/machine-id", "ssh-keygen -y -f /etc/ssh/sallyport_host_ed25519_key")) {
            assertThat(List.of(ssh(vm, own), ssh(first, own), ssh(second, own)))
                    .as(own)
                    .allMatch(id -> id.length() > 32)
                    .doesNotHaveDuplicates();
        }
        assertThat(get(first, "10.99.2.1")).isEqualTo("HTTP/1.1 200 OK");
        assertThat(get(first, "10.99.2.2")).startsWith("HTTP/1.1 403");

        ssh(first, "echo changed > /root/kept");
        destroy(vm);
        api("DELETE", "/v1/snapshots/" + snapshot, "");
        assertThat(ssh(second, "cat /root/kept; hostname")).isEqualTo("kept\nsecond\n");
        assertThat(get(second, "10.99.2.1")).isEqualTo("HTTP/1.1 200 OK");
        assertThat(get(second, "10.99.2.2")).startsWith("HTTP/1.1 403");

        destroy(first);
        destroy(second);
        machine.untilEmpty("vms");
        machine.untilEmpty("layers");
    }
}
