package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.sandbox.ImageName;
import dev.sallyport.sandbox.Origin;
import dev.sallyport.sandbox.VmSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code /v1/vms}; docs/spec/decisions.md, section 15a, "VMs". */
class VmsTest {

    private static final TestControl CONTROL = TestControl.with(TestControl.NO_LIMITS
            + "  sandboxes: {driver: fake, ssh: {ports: 10000-32767, host: vms.test}, limits: {per_account: 5}}\n");

    private static final String PATH = Sandbox.PATH;

    private Api api;

    @BeforeEach
    void signUp() {
        api = CONTROL.newAccount();
    }

    @AfterAll
    static void end() {
        CONTROL.close();
    }

    private static String with(String field, String json) {
        return Api.with(Sandbox.body("a"), field, json);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAA",
                "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC= me",
                "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTY= a comment with spaces",
                "sk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1lZDI1NTE5QG9wZW5zc2guY29t Zoë's key"
            })
    void publicKeysOfKnownTypesAreTaken(String key) {
        assertThat(api.post(PATH, with("public_key", "\"" + key + "\"")).status())
                .isEqualTo(201);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "me",
                "ssh-dss AAAAB3NzaC1kc3MAAACBAAAAAAAA",
                "ssh-foo AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAA",
                "ssh-ed25519",
                "ssh-ed25519 AAAA",
                "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAA_AAAAAA",
                "ssh-ed25519  AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAA",
                "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAA\\n",
                "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAA a\\nssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAA",
                "command=\\\"id\\\" ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAA",
                "-----BEGIN OPENSSH PRIVATE KEY-----"
            })
    void whatIsNoPublicKeyIs422(String key) {
        assertThat(api.post(PATH, with("public_key", "\"" + key + "\"")).fields())
                .containsExactly("public_key");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"\"", "\" \"", "\"a\\u0007\"", "1", "null", "[]"})
    void whatIsNoNameIs422(String name) {
        assertThat(api.post(PATH, with("name", name)).fields()).containsExactly("name");
    }

    /** docs/spec/decisions.md, section 16: {@code POST /v1/egress/explain {url, method, headers?, vm_id?}}. */
    @Test
    void aRequestIsExplainedForASandboxOfTheAccountAlone() {
        String vm = api.post(PATH, Sandbox.body("a")).json().path("id").asText();
        String question = "{\"url\": \"https://a.test/\", \"method\": \"GET\", \"vm_id\": \"" + vm + "\"}";

        assertThat(api.post("/v1/egress/explain", question).status()).isEqualTo(200);
        assertThat(CONTROL.newAccount().post("/v1/egress/explain", question).error())
                .isEqualTo("404 vm_not_found");
    }

    @Test
    void aNameHas64CharactersAtMost() {
        assertThat(api.post(PATH, with("name", "\"" + "n".repeat(64) + "\"")).status())
                .isEqualTo(201);
        assertThat(api.post(PATH, with("name", "\"" + "n".repeat(65) + "\"")).fields())
                .containsExactly("name");
    }

    @Test
    void unknownFieldsAreRefusedAndThoseOfTheServerIgnored() {
        assertThat(api.post(PATH, with("image", "\"x\"")).fields()).containsExactly("image");
        assertThat(api.post(PATH, with("status", "\"failed\""))
                        .json()
                        .path("status")
                        .asText())
                .isEqualTo("pending");
    }

    @Test
    void checksComeInTheirOrder() {
        Sandbox vm = Sandbox.ready(api, "a");
        assertThat(CONTROL.anonymous().post(PATH, "{").error()).isEqualTo("401 unauthorized");
        assertThat(api.put(PATH, "{").error()).isEqualTo("405 method_not_allowed");
        assertThat(api.withHeader("Content-Type", "text/plain").post(PATH, "{").error())
                .isEqualTo("415 unsupported_media_type");
        assertThat(api.post(PATH, "{").error()).isEqualTo("400 bad_request");
        assertThat(api.post(PATH, null).error()).isEqualTo("400 bad_request");
        assertThat(api.post(PATH, with("public_key", "\"x\"")).error())
                .as("422 before 409")
                .isEqualTo("422 validation_error");
        assertThat(api.delete(PATH + "/x?force=perhaps").error()).isEqualTo("404 vm_not_found");
        assertThat(api.delete(vm.path() + "?force=perhaps").fields()).containsExactly("force");
        assertThat(api.get(PATH + "/x/events?limit=0").error()).isEqualTo("404 vm_not_found");
        assertThat(api.post(PATH, Sandbox.body("a")).error()).isEqualTo("409 vm_name_taken");
    }

    @Test
    void namesAreOfAnAccount() {
        Sandbox.asked(api, "a");

        Sandbox.asked(CONTROL.newAccount(), "a");
    }

    @Test
    void anAccountHasAsManyAsTheOperatorAllows() {
        List<Sandbox> all = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            all.add(Sandbox.asked(api, "n" + i));
        }

        assertThat(api.post(PATH, Sandbox.body("n5")).error()).isEqualTo("409 quota_exceeded");
        assertThat(api.post(PATH, Sandbox.body("n0")).error()).isEqualTo("409 vm_name_taken");
        assertThat(all.getFirst().force().status()).isEqualTo(204);
        Sandbox.asked(api, "n5");
    }

    @Test
    void aPostThatIsSentAgainMakesOneVm() {
        Api again = api.withHeader("Idempotency-Key", "build-7");

        Api.Reply first = again.post(PATH, Sandbox.body("a"));
        Api.Reply second = again.post(PATH, Sandbox.body("a"));

        assertThat(second.text()).isEqualTo(first.text());
        assertThat(second.header("Idempotent-Replayed")).isEqualTo("true");
        assertThat(api.get(PATH).data()).hasSize(1);
    }

    @Test
    void whatIsBeingStoppedCannotBeStopped() {
        Sandbox vm = Sandbox.ready(api, "a");
        vm.stop();

        assertThat(vm.stop().error()).isEqualTo("409 vm_not_running");
    }

    @Test
    void deleteAndStartWaitForWhatIsBeingStopped() {
        Sandbox vm = Sandbox.ready(api, "a");
        vm.stop();
        assertThat(Sandbox.state(vm.start().json())).isEqualTo("running/running");
        vm.until("running/ready");
        assertThat(vm.messages()).as("it was stopped before it was started").contains("the guest has ended");

        vm.stop();
        assertThat(vm.delete().status()).isEqualTo(204);
        vm.until("destroyed/destroyed");
        assertThat(vm.messages().stream().filter("the guest has ended"::equals))
                .as("it was stopped before each")
                .hasSize(2);
    }

    @Test
    void aStartOrStopThatIsSentAgainIsAnsweredAsBefore() {
        Sandbox vm = Sandbox.ready(api, "a");
        Api again = api.withHeader("Idempotency-Key", "night");

        Api.Reply first = again.post(vm.path() + "/stop", null);
        Api.Reply second = again.post(vm.path() + "/stop", null);

        assertThat(first.status()).isEqualTo(200);
        assertThat(second.text()).isEqualTo(first.text());
        assertThat(second.header("Idempotent-Replayed")).isEqualTo("true");
        vm.until("stopped/stopped");
        assertThat(again.post(vm.path() + "/start", null).error()).isEqualTo("422 idempotency_key_reused");
        Api morning = api.withHeader("Idempotency-Key", "morning");
        assertThat(morning.post(vm.path() + "/start", null).status()).isEqualTo(200);
        assertThat(morning.post(vm.path() + "/start", null).header("Idempotent-Replayed"))
                .isEqualTo("true");
    }

    @Test
    void aDestroyedVmIsShownListedAndMayBeDeletedAgain() {
        Sandbox vm = Sandbox.stopped(api, "a");
        vm.delete();
        vm.until("destroyed/destroyed");

        assertThat(vm.delete().status()).isEqualTo(204);
        assertThat(vm.force().status()).isEqualTo(204);
        assertThat(api.get(PATH + "?status=destroyed").data().findValuesAsText("id"))
                .containsExactly(vm.id());
        assertThat(vm.start().error()).isEqualTo("409 vm_not_stopped");
        assertThat(vm.stop().error()).isEqualTo("409 vm_not_running");
        assertThat(api.get(vm.path() + "/ssh").error()).isEqualTo("409 vm_not_running");
        assertThat(CONTROL.sandboxes().spec(vm.driverId())).isEmpty();
    }

    @Test
    void forceDestroysInAnyState() {
        Sandbox pending = Sandbox.asked(api, "a");
        Sandbox running = Sandbox.ready(api, "b");
        Sandbox stopped = Sandbox.stopped(api, "c");

        for (Sandbox vm : List.of(pending, running, stopped)) {
            assertThat(vm.force().status()).isEqualTo(204);
            vm.until("destroyed/destroyed");
            assertThat(CONTROL.sandboxes().spec(vm.driverId())).isEmpty();
        }
    }

    @Test
    void hostKeysAreThoseOfTheGuestWithTheAddressThatIsConnectedTo() {
        Sandbox vm = Sandbox.ready(api, "a");
        JsonNode ssh = api.get(vm.path() + "/ssh").json();

        JsonNode keys = api.get(vm.path() + "/ssh/host-keys").json();

        assertThat(ssh.path("host").asText()).isEqualTo("vms.test");
        assertThat(keys.at("/data/0/type").asText()).isEqualTo("ssh-ed25519");
        assertThat(keys.path("known_hosts").asText())
                .isEqualTo("[vms.test]:" + ssh.path("port").asInt() + " ssh-ed25519 "
                        + keys.at("/data/0/key").asText() + "\n");
    }

    @Test
    void thePortStaysOverStopAndStart() {
        Sandbox vm = Sandbox.ready(api, "a");
        JsonNode before = api.get(vm.path() + "/ssh").json();
        vm.stop();
        vm.until("stopped/stopped");
        vm.start();
        vm.until("running/ready");

        assertThat(api.get(vm.path() + "/ssh").json()).isEqualTo(before);
    }

    @Test
    void guestsGetVariablesAndPlaceholdersOfWhichSecretsWin() {
        api.put("/v1/env/PLAIN", "{\"value\": \"one\\ntwo\"}");
        api.put("/v1/env/TOKEN", "{\"value\": \"mine\"}");
        api.post("/v1/secrets", "{\"name\": \"github\", \"secret\": \"s3cr3t\", \"env_var\": \"TOKEN\"}");

        VmSpec spec = CONTROL.sandboxes()
                .spec(Sandbox.ready(api, "My VM.1").driverId())
                .orElseThrow();

        assertThat(spec.guest().environment())
                .containsOnlyKeys("PLAIN", "TOKEN")
                .containsEntry("PLAIN", "one\ntwo")
                .containsEntry("TOKEN", "SALLYPORT_PROXY_github");
        assertThat(spec.guest().hostname()).isEqualTo("my-vm-1");
        assertThat(spec.guest().authorizedKey()).isEqualTo("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAA");
        assertThat(spec.origin()).isEqualTo(new Origin.OfImage(new ImageName("debian-12")));
    }

    @Test
    void aVariableThatCannotBeDecryptedIsLeftOutAlone() throws Exception {
        String good = api.put("/v1/env/GOOD", "{\"value\": \"v4lue\"}")
                .json()
                .path("id")
                .asText();
        String broken = api.put("/v1/env/BROKEN", "{\"value\": \"v4lue-two\"}")
                .json()
                .path("id")
                .asText();
        CONTROL.execute("update environment_variable set sealed_value = (select sealed_value from environment_variable"
                + " where id = '" + good + "') where id = '" + broken + "'");

        try (LogCapture log = LogCapture.open()) {
            VmSpec spec =
                    CONTROL.sandboxes().spec(Sandbox.ready(api, "a").driverId()).orElseThrow();

            assertThat(spec.guest().environment()).isEqualTo(Map.of("GOOD", "v4lue"));
            assertThat(log.warnings())
                    .anyMatch(line -> line.contains("the environment variable BROKEN (" + broken + ")"));
            assertThat(log.text()).doesNotContain("v4lue");
        }
    }

    @Test
    void aNameThatNoHostCanHaveLeavesTheIdentifier() {
        Sandbox vm = Sandbox.ready(api, "日本");

        assertThat(CONTROL.sandboxes().spec(vm.driverId()).orElseThrow().guest().hostname())
                .isEqualTo(vm.id().replace('_', '-'));
    }

    @Test
    void listsAreSortedFilteredAndPagedInEveryOrder() {
        for (String name : List.of("b", "C", "a")) {
            Sandbox.ready(api, name);
        }
        assertThat(api.get(PATH + "?sort=name&order=asc").data().findValuesAsText("name"))
                .containsExactly("C", "a", "b");
        assertThat(api.get(PATH).data().findValuesAsText("name")).containsExactly("a", "C", "b");
        for (String sort : List.of("created_at", "updated_at", "name")) {
            for (String order : List.of("asc", "desc")) {
                String query = "?limit=1&sort=" + sort + "&order=" + order;
                List<String> paged = new ArrayList<>();
                String cursor = "";
                while (!cursor.equals("null")) {
                    JsonNode page = api.get(PATH + query + (cursor.isEmpty() ? "" : "&cursor=" + cursor))
                            .json();
                    paged.addAll(page.path("data").findValuesAsText("name"));
                    cursor = page.path("cursor").asText();
                }
                assertThat(paged)
                        .isEqualTo(api.get(PATH + query.replace("limit=1", "limit=3"))
                                .data()
                                .findValuesAsText("name"));
            }
        }
        assertThat(api.get(PATH + "?status=running&status_detail=ready&name=a").data())
                .hasSize(1);
        assertThat(api.get(PATH + "?status=stopped&status_detail=ready").data()).isEmpty();
        String cursor = api.get(PATH + "?limit=1").json().path("cursor").asText();
        for (String other : List.of("sort=updated_at", "sort=name", "order=asc", "status=running", "name=a")) {
            assertThat(api.get(PATH + "?cursor=" + cursor + "&" + other).fields())
                    .as(other)
                    .containsExactly("cursor");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"status=ready", "status_detail=up", "sort=id", "order=up", "limit=x", "name=a&name=b"})
    void badQueriesAre422(String query) {
        assertThat(api.get(PATH + "?" + query).error()).isEqualTo("422 validation_error");
    }

    @Test
    void eventsAreListedInPages() {
        Sandbox vm = Sandbox.stopped(api, "a");

        JsonNode page = api.get(vm.path() + "/events?limit=2").json();

        assertThat(page.at("/data/0").propertyStream().map(Map.Entry::getKey))
                .containsExactly("at", "status", "status_detail", "message");
        assertThat(page.at("/data/0/status_detail").asText()).isEqualTo("stopped");
        assertThat(page.path("has_more").asBoolean()).isTrue();
        JsonNode next = api.get(vm.path() + "/events?limit=2&cursor="
                        + page.path("cursor").asText())
                .json();
        assertThat(next.at("/data/0")).isNotIn(page.at("/data/0"), page.at("/data/1"));
    }

    @Test
    void changesAreRecordedWithWhoAskedForThem() {
        Sandbox vm = Sandbox.stopped(api, "a");
        vm.delete();

        JsonNode record = api.get("/v1/audit/admin?resource=vm&order=asc").data();

        assertThat(record.findValuesAsText("action")).containsExactly("create", "update", "delete");
        assertThat(record.findValuesAsText("resource_id")).containsOnly(vm.id());
        assertThat(record.toString()).doesNotContain("AAAAC3NzaC1");
    }

    @Test
    void updatedAtAdvancesWithEachState() {
        Sandbox vm = Sandbox.ready(api, "a");
        JsonNode ready = api.get(vm.path()).json();

        JsonNode stopping = vm.stop().json();

        assertThat(ready.path("updated_at").asText())
                .isGreaterThan(ready.path("created_at").asText())
                .isLessThan(stopping.path("updated_at").asText());
    }
}
