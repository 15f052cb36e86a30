package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What may be asked of {@code /v1/snapshots}; docs/spec/decisions.md, section 15 ("Snapshot lists") and 15a ("Snapshots",
 * "Cursors").
 */
class SnapshotRequestsTest {

    private static final TestControl CONTROL = TestControl.with(TestControl.NO_LIMITS + TestControl.SANDBOXES);

    private static final String PATH = "/v1/snapshots";

    private Api api;
    private Sandbox vm;

    @BeforeEach
    void signUp() {
        api = CONTROL.newAccount();
        vm = Sandbox.ready(api, "a");
    }

    @AfterAll
    static void end() {
        CONTROL.close();
    }

    private String ready() {
        String id = vm.snapshot(null).data().path("id").asText();
        Sandbox.awaitSnapshot(api, id, "ready");
        return id;
    }

    private static String made(String snapshot) {
        return Sandbox.body("b").replace("}", ", \"snapshot_id\": " + snapshot + "}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{\"label\": null}", "{\"label\": \"\"}", "{\"label\": \"Zoë's\\nown\"}", ""})
    void aLabelIsAnyTextOrNone(String body) {
        assertThat(vm.snapshot(body.isEmpty() ? null : body).status()).isEqualTo(201);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"label\": 1}", "{\"label\": []}", "{\"label\": \"a\\u0000\"}"})
    void whatIsNoLabelIs422(String body) {
        assertThat(vm.snapshot(body).fields()).containsExactly("label");
    }

    @Test
    void aLabelHas1024CharactersAtMostAndUnknownFieldsAreRefused() {
        assertThat(vm.snapshot("{\"label\": \"" + "n".repeat(1024) + "\"}").status())
                .isEqualTo(201);
        assertThat(vm.snapshot("{\"label\": \"" + "n".repeat(1025) + "\"}").fields())
                .containsExactly("label");
        assertThat(vm.snapshot("{\"name\": \"x\"}").fields()).containsExactly("name");
        assertThat(vm.snapshot("{\"status\": \"ready\"}").data().path("status").asText())
                .as("what is the server's is ignored")
                .isEqualTo("pending");
    }

    @Test
    void checksComeInTheirOrder() {
        Sandbox unknown = Sandbox.of(api, "vm_00000000000000000000000000");
        assertThat(Sandbox.of(CONTROL.anonymous(), vm.id()).snapshot("{").error())
                .isEqualTo("401 unauthorized");
        assertThat(api.put(PATH, "{").error()).isEqualTo("405 method_not_allowed");
        assertThat(Sandbox.of(api.withHeader("Content-Type", "text/plain"), vm.id())
                        .snapshot("{")
                        .error())
                .isEqualTo("415 unsupported_media_type");
        assertThat(unknown.snapshot("{" + " ".repeat(17 << 10)).error()).isEqualTo("413 payload_too_large");
        assertThat(unknown.snapshot("{").error()).isEqualTo("400 bad_request");
        assertThat(unknown.snapshot("{\"label\": 1}").error()).isEqualTo("404 vm_not_found");
        assertThat(Sandbox.of(CONTROL.newAccount(), vm.id()).snapshot(null).error())
                .isEqualTo("404 vm_not_found");
        assertThat(api.get(unknown.path() + "/snapshots?limit=0").error()).isEqualTo("404 vm_not_found");
        vm.stop();
        assertThat(vm.snapshot("{\"label\": 1}").error()).isEqualTo("422 validation_error");
        assertThat(vm.snapshot(null).error()).isEqualTo("409 vm_not_running");
    }

    /** docs/spec/decisions.md, section 15: default 50, max 200. */
    @Test
    void pagesHave50RowsUnlessMoreAreAskedForAndNeverMoreThan200() throws Exception {
        for (int i = 0; i < 51; i++) {
            CONTROL.execute("insert into snapshot (id, organization_id, vm_id, image, status, attempts, created_at)"
                    + " select 'snap_0000000000000000000000" + (1000 + i)
                    + "', organization_id, id, image, 'failed', 0, 0 from vm where id = '" + vm.id() + "'");
        }

        for (String list : List.of(PATH, vm.path() + "/snapshots")) {
            assertThat(api.get(list).data()).hasSize(50);
            assertThat(api.get(list + "?limit=200").data()).hasSize(51);
            assertThat(api.get(list + "?limit=201").fields()).containsExactly("limit");
            assertThat(api.get(list + "?limit=0").fields()).containsExactly("limit");
            assertThat(api.get(list + "?cursor=x").fields()).containsExactly("cursor");
            assertThat(api.get(list + "?cursor=" + vm.id()).fields()).containsExactly("cursor");
        }
    }

    @Test
    void anyWellFormedCursorIsAPosition() {
        String first = ready();
        String second = ready();
        assertThat(api.delete(PATH + "/" + second).status()).isEqualTo(204);

        assertThat(api.get(PATH + "?cursor=" + second).data().findValuesAsText("id"))
                .containsExactly(first);
        assertThat(api.get(PATH + "?cursor=snap_7zzzzzzzzzzzzzzzzzzzzzzzzz")
                        .data()
                        .findValuesAsText("id"))
                .containsExactly(first);
        assertThat(api.get(PATH + "?limit=1").json().path("cursor").isNull())
                .as("the last page, even when it is exactly full")
                .isTrue();
    }

    @Test
    void aPageGoesOnWhereTheLastOneEndedWhateverIsTakenAndDeletedMeanwhile() {
        String first = ready();
        String second = ready();
        String third = ready();
        for (String list : List.of(PATH, vm.path() + "/snapshots")) {
            JsonNode page = api.get(list + "?limit=1").json();
            assertThat(page.path("data").findValuesAsText("id")).containsExactly(third);

            String meanwhile = ready();

            JsonNode rest = api.get(
                            list + "?limit=2&cursor=" + page.path("cursor").asText())
                    .json();
            assertThat(rest.path("data").findValuesAsText("id")).containsExactly(second, first);
            assertThat(rest.path("has_more")).isEqualTo(Api.tree("false"));
            assertThat(rest.path("cursor")).isEqualTo(Api.tree("null"));
            assertThat(api.delete(PATH + "/" + meanwhile).status()).isEqualTo(204);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"limit=x", "limit=1&limit=1", "cursor="})
    void badQueriesAre422(String query) {
        for (String list : List.of(PATH, vm.path() + "/snapshots")) {
            assertThat(api.get(list + "?" + query).fields()).containsExactly(query.replaceFirst("=.*", ""));
        }
    }

    @Test
    void aPostThatIsSentAgainTakesOneSnapshot() {
        Api again = api.withHeader("Idempotency-Key", "nightly");

        Api.Reply first = again.post(vm.path() + "/snapshots", "{\"label\": \"x\"}");
        Api.Reply second = again.post(vm.path() + "/snapshots", "{\"label\": \"x\"}");

        assertThat(second.text()).isEqualTo(first.text());
        assertThat(second.header("Idempotent-Replayed")).isEqualTo("true");
        assertThat(api.get(PATH).data()).hasSize(1);
    }

    @Test
    void aVmOfAnUnknownSnapshotIs404BeforeAnythingThatIsWrongWithTheRest() {
        assertThat(api.post(Sandbox.PATH, "{\"snapshot_id\": \"snap_00000000000000000000000000\"}")
                        .error())
                .isEqualTo("404 snapshot_not_found");
        assertThat(api.post(Sandbox.PATH, made("1")).fields()).containsExactly("snapshot_id");
        assertThat(api.post(Sandbox.PATH, made("null")).status()).isEqualTo(201);
    }
}
