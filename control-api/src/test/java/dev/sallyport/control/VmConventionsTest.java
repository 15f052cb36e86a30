package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.control.audit.EgressFacts;
import dev.sallyport.sandbox.FakeDriver;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What all resources have in common, of VMs, snapshots and agents; docs/spec/decisions.md, section 15a ("Bodies", "Queries")
 * and 16 ("Wire forms of what is ours"), and docs/spec/resource-api.md, section "Secret proxying rules", 1, 2 and 7.
 */
class VmConventionsTest {

    private final TestControl control = TestControl.shared();
    private final FakeDriver driver = control.sandboxes();
    private Api api;

    @BeforeEach
    void signUp() {
        api = control.newAccount();
    }

    @Test
    void aBodyWhereNoneIsSpecifiedIsIgnored() {
        Sandbox vm = Sandbox.ready(api, "a");
        Api talkative = api.withHeader("Content-Type", "text/plain");
        String snapshot = vm.snapshot(null).data().path("id").asText();

        assertThat(talkative.send("GET", vm.path() + "/ssh", "nonsense").status())
                .isEqualTo(200);
        assertThat(talkative.post(vm.path() + "/stop", "nonsense").status()).isEqualTo(200);
        vm.until("stopped/stopped");
        assertThat(talkative.post(vm.path() + "/start", "nonsense").status()).isEqualTo(200);
        assertThat(talkative
                        .send("DELETE", "/v1/snapshots/" + snapshot, "nonsense")
                        .status())
                .isEqualTo(204);
        assertThat(talkative
                        .send("DELETE", vm.path() + "?force=true", "nonsense")
                        .status())
                .isEqualTo(204);
    }

    @Test
    void oneTrailingSlashIsIgnoredAndHeadIsGet() {
        Sandbox vm = Sandbox.ready(api, "a");

        for (String path : List.of(vm.path(), vm.path() + "/ssh", vm.path() + "/snapshots", Sandbox.PATH, Agent.PATH)) {
            Api.Reply got = api.get(path + "/");
            Api.Reply head = api.send("HEAD", path, null);
            assertThat(got.text()).isEqualTo(api.get(path).text());
            assertThat(head.status()).isEqualTo(200);
            assertThat(head.header("Content-Length")).isEqualTo(got.header("Content-Length"));
        }
        assertThat(api.post(vm.path() + "/stop/", null).status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {Sandbox.PATH, Agent.PATH})
    void ofCreationsOfOneNameAtOnceOneSucceeds(String path) throws Exception {
        String body = path.equals(Agent.PATH) ? Agent.body("a") : Sandbox.body("a");
        List<Future<Api.Reply>> replies = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            for (int i = 0; i < 8; i++) {
                replies.add(threads.submit(() -> api.post(path, body)));
            }
        }

        List<Integer> statuses = new ArrayList<>();
        for (Future<Api.Reply> reply : replies) {
            statuses.add(reply.get().status());
        }
        assertThat(statuses).containsOnly(201, 409).containsOnlyOnce(201);
        assertThat(api.get(path).data()).hasSize(1);
    }

    @Test
    void eachChangeAnswersAGreaterRevision() {
        List<Api.Reply> changes = new ArrayList<>();
        Api.Reply made = api.post(Sandbox.PATH, Sandbox.body("a"));
        changes.add(made);
        Sandbox vm = Sandbox.of(api, made.json().path("id").asText()).until("running/ready");
        Api.Reply snapshot = vm.snapshot(null);
        changes.add(snapshot);
        changes.add(api.delete("/v1/snapshots/" + snapshot.data().path("id").asText()));
        changes.add(vm.stop());
        vm.until("stopped/stopped");
        changes.add(vm.start());
        changes.add(vm.force());
        Api.Reply agent = api.post(Agent.PATH, Agent.body("a"));
        changes.add(agent);
        changes.add(api.delete(Agent.PATH + "/" + agent.json().path("id").asText()));

        assertThat(changes.stream()
                        .map(change -> Long.parseLong(change.header("Sallyport-Revision")))
                        .toList())
                .isSorted()
                .doesNotHaveDuplicates();
    }

    private Map<String, String> environment(Sandbox vm) {
        return driver.spec(vm.driverId()).orElseThrow().guest().environment();
    }

    @Test
    void aPlaceholderStaysOverARotationAndVmsThatAreMadeAfterADeletionLackIt() {
        JsonNode secret = api.post(
                        "/v1/secrets", "{\"name\": \"hub\", \"secret\": \"s3cret-one\", \"env_var\": \"HUB_TOKEN\"}")
                .json();
        String path = "/v1/secrets/" + secret.path("id").asText();
        Map<String, String> placeholder = Map.of("HUB_TOKEN", "SALLYPORT_PROXY_hub");
        assertThat(environment(Sandbox.ready(api, "a"))).isEqualTo(placeholder);

        assertThat(api.patch(path, "{\"secret\": \"s3cret-two\"}").json().path("proxy_value"))
                .isEqualTo(secret.path("proxy_value"));
        assertThat(environment(Sandbox.ready(api, "b"))).isEqualTo(placeholder);
        api.delete(path);

        assertThat(environment(Sandbox.ready(api, "c"))).isEmpty();
    }

    @Test
    void eventsOfAForeignVmAreAnEmptyList() {
        Sandbox vm = Sandbox.asked(api, "a");
        Api stranger = control.newAccount();
        EgressFacts facts = EgressEvents.facts(control.clock().instant(), "a.test", EgressEvents.ALLOWED);
        EgressEvents.arrive(
                control,
                EgressEvents.organization(api),
                List.of(new EgressFacts(facts.at(), vm.id(), facts.target(), facts.outcome(), facts.replacements())));
        String query = "/v1/audit/egress?vm_id=" + vm.id();

        assertThat(api.get(query).data().findValuesAsText("vm_id")).containsExactly(vm.id());
        assertThat(stranger.get(query).data()).isEmpty();
    }
}
