package dev.sallyport.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.testsupport.Patience;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code vm} and its commands, at a real control plane with made-up guests. */
@Timeout(120)
class VmTest {

    private static final String KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAA me";

    @TempDir
    Path folder;

    private final TestControl control = TestControl.shared();
    private Shell shell;
    private String key;
    private String publicKey;

    @BeforeEach
    void signUp() throws Exception {
        key = control.newKey();
        publicKey = Files.writeString(folder.resolve("id.pub"), KEY + "\n").toString();
        shell = new Shell(folder)
                .with("SALLYPORT_SERVER", control.url())
                .with("SALLYPORT_API_KEY", key)
                .meanwhile(time -> Thread.sleep(5));
    }

    private JsonNode api(String path) {
        return control.send("GET", path, key, null);
    }

    private Shell.Result ready(String name) {
        Shell.Result result = shell.run("vm", "create", name, "--public-key", publicKey, "--wait", "--json");
        assertThat(result.code()).as(result.err()).isZero();
        return result;
    }

    private void stop(String vm) throws InterruptedException {
        assertThat(shell.run("vm", "stop", vm).code()).isZero();
        while (!api("/v1/vms?name=" + vm).at("/data/0/status_detail").asText().equals("stopped")) {
            Thread.sleep(5);
        }
    }

    @Test
    void aVmIsMadeAndWaitedFor() {
        JsonNode vm = ready("a").json();

        assertThat(vm.path("status_detail").asText()).isEqualTo("ready");
        assertThat(api("/v1/vms/" + vm.path("id").asText())).isEqualTo(vm);
        assertThat(shell.run("vm", "create", "b", "--public-key", publicKey).out())
                .matches("vm_[0-9a-z]{26} created\n");
        assertThat(shell.input(KEY + "\n")
                        .run("vm", "create", "c", "--public-key", "-", "-o", "name")
                        .out())
                .matches("vm_[0-9a-z]{26}\n");
    }

    @Test
    void whatCannotBeMadeEndsWith1AndWhatCannotBeReadWith2() {
        shell.run("vm", "create", "a", "--public-key", publicKey);

        assertThat(shell.run("vm", "create", "a", "--public-key", publicKey).err())
                .startsWith("sallyport: refused with 409 vm_name_taken");
        assertThat(shell.run("vm", "create", "a", "--public-key", publicKey, "--json")
                        .code())
                .isEqualTo(1);
        assertThat(shell.run("vm", "create", "b", "--public-key", folder.resolve("none") + "")
                        .code())
                .isEqualTo(2);
        assertThat(shell.run("vm", "create", "b").code()).isEqualTo(2);
    }

    @Test
    void aPrivateKeyIsNotSent() throws Exception {
        String secret = "-----BEGIN OPENSSH PRIVATE KEY-----\nc2VjcmV0\n-----END OPENSSH PRIVATE KEY-----\n";
        Path file = Files.writeString(folder.resolve("id_ed25519"), secret);

        Shell.Result ofFile = shell.run("vm", "create", "a", "--public-key", file.toString());
        Shell.Result ofInput = shell.input(secret).run("vm", "create", "a", "--public-key", "-");

        assertThat(ofFile.code()).isEqualTo(2);
        assertThat(ofFile.err()).contains("is a private key", "id_ed25519.pub").doesNotContain("c2VjcmV0");
        assertThat(ofInput.code()).isEqualTo(2);
        assertThat(api("/v1/vms").path("data")).isEmpty();
    }

    @Test
    void aCreationThatIsSentAgainMakesOneVm() {
        String[] command = {"vm", "create", "a", "--public-key", publicKey, "--idempotency-key", "build-7", "-o", "name"
        };

        assertThat(shell.run(command).out()).isEqualTo(shell.run(command).out());
        assertThat(api("/v1/vms").path("data")).hasSize(1);
    }

    @Test
    void listShowsATableAndTheDocumentOfTheApi() throws Exception {
        ready("a");
        ready("b");
        stop("b");

        List<String> table = shell.run("vm", "list").table();

        assertThat(table.getFirst()).isEqualTo("NAME ID STATUS DETAIL AGE");
        assertThat(table.get(1)).matches("b vm_[0-9a-z]{26} stopped stopped [0-9]+s");
        assertThat(shell.run("vm", "list", "--json").json()).isEqualTo(api("/v1/vms"));
        assertThat(shell.run("vm", "list", "--status", "running", "-o", "wide").table())
                .hasSize(2);
        assertThat(shell.run("vm", "list", "--status-detail", "stopped", "--name", "b", "--sort", "name", "--json")
                        .json()
                        .path("data"))
                .hasSize(1);
        assertThat(shell.run("vm", "list", "--status", "up", "--json").code()).isEqualTo(1);
    }

    @Test
    void listShowsWhatWasDestroyedToThoseWhoAskForIt() throws Exception {
        ready("a");
        ready("b");
        ready("c");
        assertThat(shell.run("vm", "delete", "b", "--force").code()).isZero();

        assertThat(names("vm", "list")).containsExactly("c", "a");
        assertThat(names("vm", "list", "--limit", "2")).containsExactly("c", "a");
        assertThat(names("vm", "list", "--all")).containsExactly("c", "b", "a");
        assertThat(names("vm", "list", "--status", "destroyed")).containsExactly("b");
        Awaitility.await()
                .atMost(Patience.usual())
                .until(
                        () -> shell.run("vm", "list", "--status-detail", "destroyed"),
                        list -> !list.table().isEmpty());
        assertThat(names("vm", "list", "--status-detail", "destroyed")).containsExactly("b");
    }

    private List<String> names(String... command) {
        List<String> table = shell.run(command).table();
        return table.subList(1, table.size()).stream()
                .map(row -> row.split(" ", -1)[0])
                .toList();
    }

    @Test
    void aListThatEndsTooEarlySaysWhereToGoOn() {
        ready("a");
        ready("b");

        Shell.Result first = shell.run("vm", "list", "--limit", "1");
        assertThat(first.err()).matches("there are more: --cursor \\S+\n");
        String cursor = first.err().strip().replaceAll(".* ", "");
        Shell.Result second = shell.run("vm", "list", "--limit", "1", "--cursor", cursor);

        assertThat(first.table().get(1)).startsWith("b ");
        assertThat(second.table().get(1)).startsWith("a ");
        assertThat(second.err()).isEmpty();
        assertThat(shell.run("vm", "list", "--limit", "1", "--json").err()).isEmpty();
    }

    @Test
    void theAuditTakesTheNameOfAVm() {
        ready("a");

        assertThat(shell.run("audit", "list", "--vm", "a")).isEqualTo(new Shell.Result(0, "", "no events\n"));
        String id = api("/v1/vms").at("/data/0/id").asText();
        assertThat(api("/v1/audit/admin?action=read").toString()).contains(id);
    }

    @Test
    void anEmptyListSaysSo() {
        assertThat(shell.run("vm", "list")).isEqualTo(new Shell.Result(0, "", "no VMs\n"));
    }

    @Test
    void getTakesAnIdentifierOrAName() {
        String id = ready("a").json().path("id").asText();

        JsonNode byName = shell.run("vm", "get", "a", "--json").json();

        assertThat(byName).isEqualTo(shell.run("vm", "get", id, "--json").json());
        assertThat(byName).isEqualTo(api("/v1/vms/" + id));
        assertThat(shell.run("vm", "get", "a").table()).hasSize(2);
    }

    @Test
    void stopStartAndDeleteFollowTheStates() throws Exception {
        String id = ready("a").json().path("id").asText();

        assertThat(shell.run("vm", "start", "a").err()).startsWith("sallyport: refused with 409 vm_not_stopped");
        assertThat(shell.run("vm", "delete", "a").code()).isEqualTo(1);
        stop("a");
        assertThat(shell.run("vm", "stop", "a", "--json").code()).isEqualTo(1);
        assertThat(shell.run("vm", "start", "a", "--wait"))
                .isEqualTo(new Shell.Result(0, id + " started, and ready\n", ""));
        stop("a");
        assertThat(shell.run("vm", "delete", "a")).isEqualTo(new Shell.Result(0, "a deleted\n", ""));
        assertThat(shell.run("vm", "get", "a").code())
                .as("names are of VMs that are there")
                .isEqualTo(1);
        assertThat(shell.run("vm", "get", id, "--json").json().path("status").asText())
                .isEqualTo("destroyed");
    }

    @Test
    void stopAndDeleteWaitForTheirEndWhenAsked() {
        String id = ready("a").json().path("id").asText();

        assertThat(shell.run("vm", "stop", "a", "--wait", "--timeout", "30s"))
                .isEqualTo(new Shell.Result(0, id + " stopped, and applied\n", ""));
        assertThat(api("/v1/vms/" + id).path("status_detail").asText()).isEqualTo("stopped");
        assertThat(shell.run("vm", "delete", "a", "--wait", "--timeout", "30s"))
                .isEqualTo(new Shell.Result(0, "a deleted\n", ""));
        assertThat(api("/v1/vms/" + id).path("status_detail").asText()).isEqualTo("destroyed");
    }

    @Test
    void forceDeletesWhatRuns() {
        ready("a");

        assertThat(shell.run("vm", "delete", "a", "--force", "--json")).isEqualTo(new Shell.Result(0, "", ""));
        assertThat(shell.run("vm", "delete", "a", "none", "--ignore-not-found")).isEqualTo(new Shell.Result(0, "", ""));
    }

    @Test
    void eventsTellWhatHappened() {
        ready("a");

        Shell.Result table = shell.run("vm", "events", "a", "--order", "asc");

        assertThat(table.table().getFirst()).isEqualTo("TIME STATUS DETAIL MESSAGE");
        assertThat(table.table().get(1)).contains("pending creating its creation was asked for");
        assertThat(shell.run("vm", "events", "a", "--limit", "1", "--json")
                        .json()
                        .path("data"))
                .hasSize(1);
    }

    @Test
    void countersTellWhatWasRefused() throws Exception {
        String id = "vm_01jd0000000000000000000000";
        String line = "GET /v1/vms/" + id + "/counters";
        String vm = "{\"id\": \"" + id + "\", \"status\": \"running\"}";
        String counters = "{\"refused\": 12, \"spoofed\": 3}";
        try (StubServer server = new StubServer()) {
            server.answer(200, "{\"data\": [" + vm + "], \"has_more\": false, \"cursor\": null}")
                    .answer(200, counters)
                    .answer(200, counters)
                    .answer(200, counters);
            Shell other = shell.with("SALLYPORT_SERVER", server.url());

            assertThat(other.run("vm", "counters", "a").table()).containsExactly("REFUSED SPOOFED", "12 3");
            assertThat(other.run("vm", "counters", id, "--json").out().replaceAll("\\s", ""))
                    .isEqualTo("{\"refused\":12,\"spoofed\":3}");
            assertThat(other.run("vm", "counters", id, "-o", "name").out()).isEqualTo(id + "\n");
            assertThat(server.requests().stream().map(StubServer.Request::line))
                    .endsWith(line, line, line)
                    .hasSize(4);
        }
    }

    @Test
    void countersAreOfWhatRuns() throws Exception {
        String id = ready("a").json().path("id").asText();

        assertThat(shell.run("vm", "counters", "a", "--json").json()).isEqualTo(api("/v1/vms/" + id + "/counters"));
        stop("a");
        assertThat(shell.run("vm", "counters", "a").err()).startsWith("sallyport: refused with 409 vm_not_running");
        assertThat(shell.run("vm", "counters", "none").code()).isEqualTo(1);
    }

    @Test
    void sshRunsTheClientOfThisMachineWithTheKeysOfTheVm() throws Exception {
        String id = ready("a").json().path("id").asText();
        Path seen = folder.resolve("seen");
        Path client = Files.writeString(folder.resolve("client"), """
                #!/bin/sh
                for argument in "$@"; do echo "$argument"; done > %s
                for argument in "$@"; do case "$argument" in UserKnownHostsFile=*) cat "${argument#*=}" >> %s;; esac; done
                exit 7
                """.formatted(seen, seen));
        Files.setPosixFilePermissions(client, PosixFilePermissions.fromString("rwx------"));
        shell.with("SALLYPORT_SSH", client.toString());

        Shell.Result result = shell.run("vm", "ssh", "a", "-i", "mine", "--", "ls", "-l", "a b");

        assertThat(result.code()).as(result.err()).isEqualTo(7);
        String port = api("/v1/vms/" + id + "/ssh").path("port").asText();
        List<String> lines = Files.readAllLines(seen);
        assertThat(lines)
                .containsSubsequence("-p", port, "StrictHostKeyChecking=yes", "-i", "mine", "--", "root@127.0.0.1")
                .containsSubsequence("ls", "-l", "a b");
        assertThat(lines.getLast()).startsWith("[127.0.0.1]:" + port + " ssh-ed25519 ");
    }

    @Test
    void sshToWhatDoesNotRunEndsWith1() throws Exception {
        ready("a");
        stop("a");

        assertThat(shell.run("vm", "ssh", "a").err()).startsWith("sallyport: refused with 409 vm_not_running");
        assertThat(shell.run("vm", "ssh", "none").code()).isEqualTo(1);
        assertThat(shell.run("vm", "ssh").code()).isEqualTo(2);
    }

    @Test
    void sshWithoutAClientEndsWith2() {
        ready("a");
        shell.with("SALLYPORT_SSH", folder.resolve("none").toString());

        assertThat(shell.run("vm", "ssh", "a").err()).contains("cannot be run", "SALLYPORT_SSH");
    }

    @Test
    void aKeyThatIsNotValidEndsWith4() {
        shell.with("SALLYPORT_API_KEY", "sp_live_0123456789012345678901234567890123456789012");

        for (String[] command : new String[][] {
            {"vm", "list"},
            {"vm", "get", "a"},
            {"vm", "create", "a", "--public-key", publicKey},
            {"vm", "start", "a"},
            {"vm", "stop", "a"},
            {"vm", "delete", "a", "--json"},
            {"vm", "events", "a"},
            {"vm", "counters", "a"},
            {"vm", "ssh", "a"}
        }) {
            assertThat(shell.run(command).code()).isEqualTo(4);
        }
    }
}
