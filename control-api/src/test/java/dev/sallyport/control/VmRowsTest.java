package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** docs/spec/resource-api.md, section "VMs", and the rows of other tables on VMs: each over HTTP, by its name. */
class VmRowsTest {

    private static final TestControl CONTROL = TestControl.with(TestControl.NO_LIMITS + TestControl.SANDBOXES);

    /** The tables of these alone. */
    private static final List<String> WHOLE = List.of("VM", "VMs");

    /** Of tables on everything, the rows on these. */
    private static final List<String> PARTS = List.of(
            "Resources and their fields: VM",
            "Resources and their fields: SSH info",
            "Errors: vm_not_found",
            "Errors: vm_not_stopped",
            "Errors: vm_not_running",
            "Limits: VM list page");

    private static final String PATH = Sandbox.PATH;

    private final Map<String, Consumer<Api>> rows = new LinkedHashMap<>();

    @AfterAll
    static void end() {
        CONTROL.close();
    }

    private void row(String name, Consumer<Api> test) {
        assertThat(rows.put(name, test)).as(name).isNull();
    }

    private static List<String> keys(JsonNode object) {
        return object.propertyStream().map(Map.Entry::getKey).toList();
    }

    private void fields() {
        row("Resources and their fields: VM", api -> {
            JsonNode vm = api.post(PATH, Sandbox.body("a")).json();
            assertThat(keys(vm)).containsExactly("id", "name", "status", "status_detail", "created_at", "updated_at");
            assertThat(vm.path("id").asText()).matches("vm_[0-9a-z]{26}");
            assertThat(vm.path("created_at").asText()).matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
            assertThat(vm.path("updated_at")).isEqualTo(vm.path("created_at"));
        });
        row("Resources and their fields: SSH info", api -> {
            JsonNode ssh = api.get(Sandbox.ready(api, "a").path() + "/ssh").json();
            assertThat(keys(ssh)).containsExactly("host", "port", "username", "command");
            assertThat(ssh.path("port").isInt()).isTrue();
            assertThat(ssh.path("command").asText())
                    .isEqualTo("ssh -p " + ssh.path("port").asInt() + " root@127.0.0.1");
        });
    }

    /** Statuses with their details. */
    private void statuses() {
        row("VM: pending", api -> {
            Sandbox vm = Sandbox.ready(api, "a");
            assertThat(vm.states())
                    .startsWith("pending/creating", "pending/starting")
                    .contains("running/running");
            Api other = CONTROL.newAccount();
            for (int i = 0; i < 30; i++) {
                Sandbox.asked(other, "n" + i);
            }
            assertThat(other.get(PATH + "?limit=100").data().findValuesAsText("status_detail"))
                    .isSubsetOf("creating", "queued", "starting", "running", "ready");
        });
        row("VM: running", api -> {
            Sandbox vm = Sandbox.ready(api, "a");
            assertThat(vm.states()).containsSubsequence("running/running", "running/ready");
        });
        row("VM: stopped", api -> {
            Sandbox vm = Sandbox.ready(api, "a");
            assertThat(Sandbox.state(vm.stop().json())).isEqualTo("stopped/stopping");
            vm.until("stopped/stopped");
        });
        row("VM: destroyed", api -> {
            Sandbox vm = Sandbox.stopped(api, "a");
            assertThat(vm.delete().status()).isEqualTo(204);
            vm.until("destroyed/destroyed");
            assertThat(vm.states()).endsWith("destroyed/destroying", "destroyed/destroyed");
        });
        row("VM: failed", api -> {
            Sandbox vm = Sandbox.ready(api, "a");
            CONTROL.sandboxes().damage(vm.driverId(), "its disk is gone");
            vm.until("failed/failed");
            assertThat(vm.messages()).contains("its disk is gone");
        });
    }

    private void transitions() {
        row("VM: none | POST /v1/vms | name unique among non-destroyed VMs", api -> {
            Api.Reply made = api.post(PATH, Sandbox.body("a"));
            assertThat(made.status()).isEqualTo(201);
            assertThat(Sandbox.state(made.json())).isEqualTo("pending/creating");
            assertThat(api.post(PATH, Sandbox.body("a")).error()).isEqualTo("409 vm_name_taken");
            Sandbox.of(api, made.json().path("id").asText()).force();
            Sandbox.asked(api, "a");
        });
        row(
                "VM: pending | provisioning completes | asynchronous; clients poll GET until status running and status_detail ready before SSH",
                api -> Sandbox.asked(api, "a").until("running/ready"));
        row("VM: stopped | POST start | | running", api -> {
            Sandbox vm = Sandbox.stopped(api, "a");
            Api.Reply started = vm.start();
            assertThat(started.status()).isEqualTo(200);
            assertThat(Sandbox.state(started.json())).isEqualTo("running/running");
            vm.until("running/ready");
        });
        row("VM: running | POST stop | | stopped", api -> {
            Sandbox vm = Sandbox.ready(api, "a");
            Api.Reply stopped = vm.stop();
            assertThat(stopped.status()).isEqualTo(200);
            assertThat(stopped.json().path("status").asText()).isEqualTo("stopped");
        });
        row("VM: stopped | DELETE | | destroyed", api -> {
            Sandbox vm = Sandbox.stopped(api, "a");
            assertThat(vm.delete().status()).isEqualTo(204);
            assertThat(api.get(vm.path()).json().path("status").asText()).isEqualTo("destroyed");
        });
        row("VM: running | DELETE | VM not stopped", api -> {
            Sandbox vm = Sandbox.ready(api, "a");
            assertThat(vm.delete().error()).isEqualTo("409 vm_not_stopped");
            assertThat(vm.state()).isEqualTo("running/ready");
        });
    }

    private void endpoints() {
        String in = "VMs: ";
        row(in + "POST | /v1/vms", api -> {
            assertThat(api.post(PATH, Sandbox.body("a")).status()).isEqualTo(201);
            assertThat(api.post(PATH, "{}").fields()).containsExactly("name", "public_key");
            assertThat(api.post(PATH, Sandbox.body("b").replace("}", ", \"snapshot_id\": \"snap_x\"}"))
                            .error())
                    .isEqualTo("404 snapshot_not_found");
        });
        row(in + "GET | /v1/vms", api -> {
            Sandbox.ready(api, "a");
            Sandbox.stopped(api, "b");
            for (String query : List.of("status=stopped", "status_detail=stopped", "name=b", "limit=1")) {
                assertThat(api.get(PATH + "?" + query).data().findValuesAsText("name"))
                        .as(query)
                        .containsExactly("b");
            }
            for (String sort : List.of("created_at", "updated_at", "name")) {
                assertThat(api.get(PATH + "?order=asc&sort=" + sort).data().findValuesAsText("name"))
                        .as(sort)
                        .containsExactly("a", "b");
            }
        });
        row(in + "GET | /v1/vms/{vm_id}", api -> {
            JsonNode vm = api.post(PATH, Sandbox.body("a")).json();
            assertThat(api.get(PATH + "/" + vm.path("id").asText()).json().path("id"))
                    .isEqualTo(vm.path("id"));
        });
        row(in + "DELETE | /v1/vms/{vm_id}", api -> {
            assertThat(Sandbox.stopped(api, "a").delete().text()).isEmpty();
            assertThat(Sandbox.ready(api, "b").delete().error()).isEqualTo("409 vm_not_stopped");
        });
        row(
                in + "POST | /v1/vms/{vm_id}/start",
                api -> assertThat(Sandbox.stopped(api, "a")
                                .start()
                                .json()
                                .path("status")
                                .asText())
                        .isEqualTo("running"));
        row(
                in + "POST | /v1/vms/{vm_id}/stop",
                api -> assertThat(Sandbox.ready(api, "a")
                                .stop()
                                .json()
                                .path("status")
                                .asText())
                        .isEqualTo("stopped"));
        row(
                in + "GET | /v1/vms/{vm_id}/ssh",
                api -> assertThat(
                                api.get(Sandbox.ready(api, "a").path() + "/ssh").status())
                        .isEqualTo(200));
    }

    private void errorsAndLimits() {
        row("Errors: vm_not_found", api -> {
            String unknown = PATH + "/vm_00000000000000000000000000";
            assertThat(api.get(unknown).error()).isEqualTo("404 vm_not_found");
            assertThat(api.post(unknown + "/start", null).error()).isEqualTo("404 vm_not_found");
            assertThat(api.post(unknown + "/snapshots", null).error()).isEqualTo("404 vm_not_found");
            assertThat(Sandbox.of(api, Sandbox.asked(CONTROL.newAccount(), "a").id())
                            .snapshot(null)
                            .error())
                    .as("not owned by the caller")
                    .isEqualTo("404 vm_not_found");
        });
        row("Errors: vm_not_stopped", api -> {
            Sandbox vm = Sandbox.ready(api, "a");
            assertThat(vm.delete().error()).isEqualTo("409 vm_not_stopped");
            assertThat(vm.start().error()).isEqualTo("409 vm_not_stopped");
        });
        row("Errors: vm_not_running", api -> {
            Sandbox vm = Sandbox.stopped(api, "a");
            assertThat(vm.snapshot(null).error()).isEqualTo("409 vm_not_running");
            assertThat(vm.stop().error()).isEqualTo("409 vm_not_running");
            assertThat(api.get(vm.path() + "/ssh").error()).isEqualTo("409 vm_not_running");
        });
        row("Limits: VM list page", api -> {
            for (int i = 0; i < 21; i++) {
                Sandbox.asked(api, "n" + i);
            }
            assertThat(api.get(PATH).data()).hasSize(20);
            assertThat(api.get(PATH + "?limit=100").data()).hasSize(21);
            assertThat(api.get(PATH + "?limit=101").fields()).containsExactly("limit");
            assertThat(api.get(PATH + "?limit=0").fields()).containsExactly("limit");
        });
    }

    private Map<String, Consumer<Api>> all() {
        rows.clear();
        fields();
        statuses();
        transitions();
        endpoints();
        errorsAndLimits();
        return rows;
    }

    @Test
    void everyRowHasATest() throws IOException {
        List<String> headings = new ArrayList<>(WHOLE);
        headings.addAll(List.of("Resources and their fields", "Errors", "Limits"));
        List<String> expected = SpecificationTables.rows("resource-api", headings).stream()
                .map(row -> row.replaceFirst(" \\|$", ""))
                .filter(row -> PARTS.contains(row) || WHOLE.contains(row.replaceFirst(": .*", "")))
                .toList();

        assertThat(expected).containsAll(PARTS);
        assertThat(all().keySet()).containsExactlyInAnyOrderElementsOf(expected);
    }

    @TestFactory
    Stream<DynamicTest> rows() {
        return all().entrySet().stream()
                .map(row -> DynamicTest.dynamicTest(
                        row.getKey(), () -> row.getValue().accept(CONTROL.newAccount())));
    }
}
