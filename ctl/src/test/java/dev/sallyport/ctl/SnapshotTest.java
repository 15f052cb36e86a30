package dev.sallyport.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code snapshot} and its commands, at a real control plane with made-up guests. */
@Timeout(120)
class SnapshotTest {

    private static final String UNKNOWN = "snap_00000000000000000000000000";

    @TempDir
    Path folder;

    private final TestControl control = TestControl.shared();
    private Shell shell;
    private String key;
    private String publicKey;

    @BeforeEach
    void signUp() throws Exception {
        key = control.newKey();
        publicKey = Files.writeString(folder.resolve("id.pub"), "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAA me\n")
                .toString();
        shell = new Shell(folder)
                .with("SALLYPORT_SERVER", control.url())
                .with("SALLYPORT_API_KEY", key)
                .meanwhile(time -> Thread.sleep(5));
        assertThat(shell.run("vm", "create", "box", "--public-key", publicKey, "--wait")
                        .code())
                .isZero();
    }

    private JsonNode api(String path) {
        return control.send("GET", path, key, null);
    }

    private String ready(String... more) {
        String[] command = new String[5 + more.length];
        System.arraycopy(new String[] {"snapshot", "create", "box", "--wait", "--json"}, 0, command, 0, 5);
        System.arraycopy(more, 0, command, 5, more.length);
        Shell.Result result = shell.run(command);
        assertThat(result.code()).as(result.err()).isZero();
        JsonNode snapshot = result.json();
        JsonNode one = snapshot.has("data") ? snapshot.path("data") : snapshot;
        assertThat(one.path("status").asText()).isEqualTo("ready");
        return one.path("id").asText();
    }

    @Test
    void aSnapshotIsTakenAndAVmMadeFromIt() {
        String id = ready("--label", "before");

        assertThat(api("/v1/snapshots/" + id).at("/data/label").asText()).isEqualTo("before");
        assertThat(shell.run("vm", "create", "fork", "--public-key", publicKey, "--snapshot", id, "--wait")
                        .out())
                .matches("vm_[0-9a-z]{26} created, and ready\n");
        assertThat(shell.run("snapshot", "create", "fork").out()).matches("snap_[0-9a-z]{26} created\n");
        assertThat(shell.run("snapshot", "list", "-o", "wide").out()).contains("SOURCE", id + " ");
    }

    @Test
    void listGetAndDelete() {
        String first = ready("--label", "one");
        String second = ready();

        assertThat(shell.run("snapshot", "list", "-o", "name").out()).isEqualTo(second + "\n" + first + "\n");
        assertThat(shell.run("snapshot", "list", "--vm", "box", "--limit", "1", "-o", "name")
                        .out())
                .isEqualTo(second + "\n");
        assertThat(shell.run("snapshot", "list").out().lines().toList())
                .hasSize(3)
                .first()
                .asString()
                .contains("ID", "VM", "LABEL", "STATUS", "BYTES", "AGE");
        assertThat(shell.run("snapshot", "get", first).out()).contains("one", "ready");
        assertThat(shell.run("snapshot", "delete", first, UNKNOWN).code()).isEqualTo(1);
        assertThat(shell.run("snapshot", "delete", UNKNOWN, "--ignore-not-found")
                        .code())
                .isZero();
        assertThat(api("/v1/snapshots").path("data").findValuesAsText("id")).containsExactly(second);
        assertThat(shell.run("snapshot", "get", first).err()).startsWith("sallyport: refused with 404");
    }

    @Test
    void whatDoesNotRunIsRefused() {
        shell.run("vm", "stop", "box");

        Shell.Result result = shell.run("snapshot", "create", "box");

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.err()).startsWith("sallyport: refused with 409 vm_not_running");
        assertThat(shell.run("snapshot", "create", "nobody").code()).isEqualTo(1);
    }
}
