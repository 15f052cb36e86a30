package dev.sallyport.it.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.sandbox.ImageName;
import dev.sallyport.sandboxd.Sandboxd;
import dev.sallyport.sandboxd.image.IdRange;
import dev.sallyport.sandboxd.image.ImageStore;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.Tools;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Real guests from the sign-up to their end, with curl and ssh alone, in a machine inside this one. Needs root, runc, and an
 * image in {@code TEST_SANDBOX_IMAGE}.
 */
@Tag("long")
@Timeout(600)
class SandboxScenarioTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String API = "http://127.0.0.1:8090";
    private static final String CGROUP =
            "/sallyport-scenario-" + ProcessHandle.current().pid();

    private final List<Process> programs = new ArrayList<>();
    private Path folder;
    private Process holder;
    private String token = "";

    @BeforeEach
    void machine() throws Exception {
        String archive = System.getenv("TEST_SANDBOX_IMAGE");
        assumeTrue(archive != null, "needs TEST_SANDBOX_IMAGE");
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        Tools.require("runc", "ip", "nft", "mke2fs", "nsenter", "unshare", "sysctl", "ssh", "ssh-keygen", "curl");
        folder = Files.createTempDirectory("svs");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
        holder = new ProcessBuilder(
                        "unshare",
                        "--net",
                        "--mount",
                        "sh",
                        "-c",
                        "mount -t tmpfs tmpfs /run && ip link set lo up && ip addr add 10.99.2.1/32 dev lo"
                                + " && ip addr add 10.99.2.2/32 dev lo && echo ready && exec cat")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        assumeTrue("ready".equals(holder.inputReader().readLine()), "needs network namespaces");
        new ImageStore(folder.resolve("images"), IdRange.DEFAULT).add(new ImageName("test"), Path.of(archive));
        Tools.run(
                "ssh-keygen",
                "-q",
                "-t",
                "ed25519",
                "-N",
                "",
                "-C",
                "test",
                "-f",
                folder.resolve("id").toString());
        begin(
                "listens",
                Sandboxd.class,
                "--socket",
                folder.resolve("s").toString(),
                "--dir",
                folder.toString(),
                "--run-dir",
                "/run/sandboxd",
                "--cgroup",
                CGROUP);
        begin("the machine stands", SandboxMachine.class, folder.toString());
    }

    /** Starts a program in the machine, and returns when it has printed this. */
    private void begin(String sign, Class<?> type, String... arguments) throws IOException, InterruptedException {
        Path log = folder.resolve(type.getSimpleName() + ".log");
        Process program = new ProcessBuilder(inside(Tools.java(type, arguments)))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        programs.add(program);
        while (!Files.readString(log).contains(sign)) {
            assertThat(program.isAlive()).as(Files.readString(log)).isTrue();
            Thread.sleep(20);
        }
    }

    private List<String> inside(List<String> command) {
        return Stream.concat(
                        Stream.of("nsenter", "--net", "--mount", "--target=" + holder.pid(), "--"), command.stream())
                .toList();
    }

    @AfterEach
    void end() throws Exception {
        for (Process program : programs.reversed()) {
            program.destroy();
            assertThat(program.waitFor(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        }
        if (holder != null) {
            holder.destroyForcibly().waitFor();
            Tools.run("rm", "-rf", "--one-file-system", "--", folder.toString());
        }
    }

    /** A call by curl. */
    private JsonNode api(String method, String path, String body) throws Exception {
        List<String> command = new ArrayList<>(List.of("curl", "-sS", "-X", method, API + path));
        if (!body.isEmpty()) {
            command.addAll(List.of("-H", "Content-Type: application/json", "-d", body));
        }
        if (!token.isEmpty()) {
            command.addAll(List.of("-H", "Authorization: Bearer " + token));
        }
        String answer = Tools.run(inside(command));
        return answer.isEmpty() ? JSON.nullNode() : JSON.readTree(answer);
    }

    private void signUp(String email) throws Exception {
        token = "";
        token = api(
                        "POST",
                        "/v1/users",
                        "{\"first_name\": \"Ada\", \"last_name\": \"L\", \"email\": \"" + email
                                + "\", \"password\": \"correct horse\"}")
                .at("/api_key/token")
                .asText();
    }

    private String create(String name) throws Exception {
        return create(name, "");
    }

    /** @param more fields after name and key */
    private String create(String name, String more) throws Exception {
        String key = Files.readString(folder.resolve("id.pub")).strip();
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
                .as(seen + Files.readString(folder.resolve("Sandboxd.log")))
                .isEqualTo("ready");
        return id;
    }

    private void destroy(String vm) throws Exception {
        api("POST", "/v1/vms/" + vm + "/stop", "");
        until(vm, "stopped");
        api("DELETE", "/v1/vms/" + vm, "");
        until(vm, "destroyed");
    }

    /** Waits until nothing is in a folder of sandboxd, which removes trees in the background. */
    private void untilEmpty(String name) throws Exception {
        List<Path> left = List.of(folder);
        for (int i = 0; i < 600 && !left.isEmpty(); i++) {
            Thread.sleep(50);
            try (Stream<Path> files = Files.list(folder.resolve(name))) {
                left = files.toList();
            }
        }
        assertThat(left).isEmpty();
    }

    private void until(String vm, String detail) throws Exception {
        JsonNode seen = api("GET", "/v1/vms/" + vm, "");
        for (int i = 0; i < 1000 && !seen.path("status_detail").asText().equals(detail); i++) {
            Thread.sleep(50);
            seen = api("GET", "/v1/vms/" + vm, "");
        }
        assertThat(seen.path("status_detail").asText())
                .as(api("GET", "/v1/vms/" + vm + "/events", "").toString()
                        + Files.readString(folder.resolve("Sandboxd.log")))
                .isEqualTo(detail);
    }

    /** Runs a script in a VM by a stock client, as the API says. */
    private String ssh(String vm, String script) throws Exception {
        JsonNode ssh = api("GET", "/v1/vms/" + vm + "/ssh", "");
        Path known = folder.resolve("known_hosts");
        Files.writeString(
                known,
                api("GET", "/v1/vms/" + vm + "/ssh/host-keys", "")
                        .path("known_hosts")
                        .asText());
        Process client = new ProcessBuilder(inside(List.of(
                        "ssh",
                        "-i",
                        folder.resolve("id").toString(),
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
                .redirectErrorStream(true)
                .start();
        client.outputWriter().append(script).append("\n").close();
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

        ssh(vm, "echo kept > /root/kept");
        api("POST", "/v1/vms/" + vm + "/stop", "");
        until(vm, "stopped");
        api("POST", "/v1/vms/" + vm + "/start", "");
        until(vm, "ready");
        assertThat(ssh(vm, "cat /root/kept")).isEqualTo("kept\n");
        assertThat(get(vm, "10.99.2.1")).isEqualTo("HTTP/1.1 200 OK");
        assertThat(get(vm, "10.99.2.2")).startsWith("HTTP/1.1 403");

        ssh(vm, "kill -TERM 1");
        until(vm, "stopped");
        api("DELETE", "/v1/vms/" + vm, "");
        until(vm, "destroyed");
        try (Stream<Path> left = Files.list(folder.resolve("vms"))) {
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
        untilEmpty("vms");
        untilEmpty("layers");
    }
}
