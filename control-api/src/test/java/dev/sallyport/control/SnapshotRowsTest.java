package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** docs/spec/resource-api.md, section "Snapshots", and the rows of other tables on snapshots: each over HTTP, by its name. */
class SnapshotRowsTest {

    private static final TestControl CONTROL = TestControl.with(TestControl.NO_LIMITS + TestControl.SANDBOXES);

    /** The table of these alone. */
    private static final String WHOLE = "Snapshots";

    /** Of tables on everything, the rows on these. */
    private static final List<String> PARTS =
            List.of("Resources and their fields: Snapshot", "Errors: snapshot_not_found");

    private static final String PATH = "/v1/snapshots";
    private static final String UNKNOWN = PATH + "/snap_00000000000000000000000000";

    private final Map<String, Consumer<Api>> rows = new LinkedHashMap<>();

    @AfterAll
    static void end() {
        CONTROL.close();
    }

    private void row(String name, Consumer<Api> test) {
        assertThat(rows.put(name, test)).as(name).isNull();
    }

    private void fields() {
        row("Resources and their fields: Snapshot", api -> {
            Sandbox vm = Sandbox.ready(api, "a");
            JsonNode asked = vm.snapshot("{\"label\": \"before\"}").data();
            assertThat(asked.propertyStream().map(Map.Entry::getKey).toList())
                    .containsExactly(
                            "id",
                            "source_virtual_machine_id",
                            "source_base_image",
                            "source_snapshot_id",
                            "label",
                            "status",
                            "storage_key",
                            "size_bytes",
                            "created_at");
            String id = asked.path("id").asText();
            assertThat(id).matches("snap_[0-9a-z]{26}");
            assertThat(asked.path("source_virtual_machine_id").asText()).isEqualTo(vm.id());
            assertThat(asked.path("source_base_image").asText()).isEqualTo("debian-12");
            assertThat(asked.path("source_snapshot_id").isNull()).isTrue();
            assertThat(asked.path("label").asText()).isEqualTo("before");
            assertThat(asked.path("status").asText()).isEqualTo("pending");
            assertThat(asked.path("storage_key").isNull()).isTrue();
            assertThat(asked.path("size_bytes").isNull()).isTrue();
            assertThat(asked.path("created_at").asText())
                    .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");

            JsonNode ready = Sandbox.awaitSnapshot(api, id, "ready");
            assertThat(ready.path("storage_key").asText()).isEqualTo("snapshots/" + id);
            assertThat(ready.path("size_bytes").asLong()).isPositive();
            JsonNode second = Sandbox.fork(api, "b", id).snapshot(null).data();
            assertThat(second.path("source_base_image").isNull()).isTrue();
            assertThat(second.path("source_snapshot_id").asText()).isEqualTo(id);
            assertThat(second.path("label").isNull()).isTrue();
        });
    }

    private void endpoints() {
        String in = WHOLE + ": ";
        row(in + "POST | /v1/vms/{vm_id}/snapshots", api -> {
            Sandbox vm = Sandbox.ready(api, "a");
            assertThat(vm.snapshot("{}").status()).isEqualTo(201);
            assertThat(vm.snapshot(null).status()).isEqualTo(201);
            assertThat(vm.snapshot("{\"label\": 1}").fields()).containsExactly("label");
            assertThat(Sandbox.stopped(api, "b").snapshot(null).error()).isEqualTo("409 vm_not_running");
        });
        row(in + "GET | /v1/snapshots and /v1/vms/{vm_id}/snapshots", api -> {
            Sandbox first = Sandbox.ready(api, "a");
            Sandbox second = Sandbox.ready(api, "b");
            String one = first.snapshot(null).data().path("id").asText();
            String two = second.snapshot(null).data().path("id").asText();
            String three = first.snapshot(null).data().path("id").asText();
            assertThat(api.get(PATH).data().findValuesAsText("id")).containsExactly(three, two, one);
            assertThat(api.get(first.path() + "/snapshots").data().findValuesAsText("id"))
                    .containsExactly(three, one);
            JsonNode page = api.get(PATH + "?limit=2").json();
            assertThat(page.path("has_more").asBoolean()).isTrue();
            assertThat(page.path("cursor").asText()).as("a snapshot id").isEqualTo(two);
            assertThat(api.get(PATH + "?limit=2&cursor=" + two).data().findValuesAsText("id"))
                    .containsExactly(one);
        });
        row(in + "GET | /v1/snapshots/{id}", api -> {
            JsonNode made = Sandbox.ready(api, "a").snapshot(null).data();
            String id = made.path("id").asText();
            assertThat(api.get(PATH + "/" + id).data().path("created_at")).isEqualTo(made.path("created_at"));
            assertThat(CONTROL.newAccount().get(PATH + "/" + id).error()).isEqualTo("404 snapshot_not_found");
        });
        row(in + "DELETE | /v1/snapshots/{id}", api -> {
            String id = Sandbox.ready(api, "a").snapshot(null).data().path("id").asText();
            Api.Reply deleted = api.delete(PATH + "/" + id);
            assertThat(deleted.status()).isEqualTo(204);
            assertThat(deleted.text()).isEmpty();
            assertThat(api.get(PATH + "/" + id).error()).isEqualTo("404 snapshot_not_found");
            assertThat(api.get(PATH).data()).isEmpty();
        });
    }

    private void errors() {
        row("Errors: snapshot_not_found", api -> {
            assertThat(api.get(UNKNOWN).error()).isEqualTo("404 snapshot_not_found");
            assertThat(api.delete(UNKNOWN).error()).isEqualTo("404 snapshot_not_found");
            assertThat(api.get(PATH + "/x").error()).isEqualTo("404 snapshot_not_found");
        });
    }

    private Map<String, Consumer<Api>> all() {
        rows.clear();
        fields();
        endpoints();
        errors();
        return rows;
    }

    @Test
    void everyRowHasATest() throws IOException {
        List<String> expected =
                SpecificationTables.rows("resource-api", List.of(WHOLE, "Resources and their fields", "Errors"))
                        .stream()
                        .map(row -> row.replaceFirst(" \\|$", ""))
                        .filter(row -> PARTS.contains(row) || row.startsWith(WHOLE + ": "))
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
