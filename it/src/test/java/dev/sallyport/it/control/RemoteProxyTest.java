package dev.sallyport.it.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.control.ControlFactory;
import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.ReloadResult;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.feed.FeedFactory;
import dev.sallyport.it.TestProxy;
import dev.sallyport.sources.local.EnvSourceFactory;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.Ports;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import dev.sallyport.transforms.allowlist.AllowlistFactory;
import dev.sallyport.transforms.secrets.SecretsFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/spec/decisions.md, sections 15 and 16: a proxy elsewhere follows its policies over one connection. */
@Timeout(180)
class RemoteProxyTest {

    private static final String NETWORK = "/v1/policies/network";
    private static final String OWN_GATE = "transforms:\n  - {name: allowlist, config: {domains: [\"127.0.0.1\"]}}\n";

    @TempDir
    Path folder;

    private int port;
    private EgressProxy control;
    private TestOrigin origin;
    private TestProxy proxy;
    private ControlApi api;
    private String token;
    private String self;

    @BeforeEach
    void begin() throws Exception {
        port = Ports.unused();
        Files.createDirectories(folder.resolve("control"));
        Files.createDirectories(folder.resolve("proxy"));
        control = control();
        origin = TestOrigin.handling(request -> TestOrigin.ok(
                request.startLine().split(" ", -1)[1] + " " + Wire.field(request.head(), "Authorization")));
        api = ControlApi.signUp(port);
        JsonNode made = api.send("POST", "/v1/proxies", "{\"name\": \"p\", \"tags\": [\"eu\"]}", 201);
        token = made.at("/data/token").asText();
        self = "/v1/proxies/" + made.at("/data/id").asText();
    }

    /** A control plane with an idle proxy of its own. */
    private EgressProxy control() throws Exception {
        EgressProxy made = EgressProxy.builder()
                .catalog(catalog())
                .configText(
                        "control.yaml",
                        "dns: {enabled: false}\nmetrics: {listen: disabled}\n"
                                + "proxy: {http_listen: 127.0.0.1:0, https_listen: disabled, tunnel_listen: disabled}\n"
                                + "tls: {mode: sni-only}\n" + "control: {listen: 127.0.0.1:" + port + ", state_dir: "
                                + folder.resolve("control/state") + "}\n")
                .build();
        made.start();
        return made;
    }

    private static PluginCatalog catalog() {
        return PluginCatalog.of(
                List.of(new AllowlistFactory(), new SecretsFactory()),
                List.of(new EnvSourceFactory()),
                List.of(new ControlFactory(ControlApi.PASSWORDS), new FeedFactory()));
    }

    private TestProxy proxy(String more) throws Exception {
        return building(more).start();
    }

    private TestProxy.Builder building(String more) {
        return TestProxy.builder(folder.resolve("proxy"))
                .catalog(catalog())
                .environment(Map.of("CONTROL_TOKEN", token, "UPSTREAM_KEY", "s3cr3t-0123456789"))
                .sections("control_plane:\n  url: http://127.0.0.1:" + port
                        + "\n  token_env: CONTROL_TOKEN\n  cache_dir: " + folder.resolve("proxy/cache") + "\n" + more);
    }

    @AfterEach
    void end() throws IOException {
        if (proxy != null) {
            proxy.close();
        }
        control.close();
        origin.close();
    }

    private String get() throws IOException {
        Wire.Message answer = proxy.get(origin, "/");
        return answer.status() + " " + answer.body();
    }

    private static ConditionFactory soon() {
        return await().pollInterval(Duration.ofMillis(5)).atMost(Patience.seconds(60));
    }

    private void until(String answer) {
        soon().untilAsserted(() -> assertThat(get()).startsWith(answer));
    }

    @Test
    void policiesReachTheProxyAndAreAcknowledged() throws Exception {
        proxy = proxy("");
        until("403");

        String policy = api.create(NETWORK, ControlApi.network("origin", "127.0.0.1"));
        until("200");
        api.create(
                "/v1/policies/secrets",
                "{\"name\": \"key\", \"priority\": 1, \"match_tags\": [\"eu\"], \"mode\": \"inject\", \"source\": {\"var\": \"UPSTREAM_KEY\"}, \"inject_config\": {\"header\": \"Authorization\"}}");
        until("200 / SALLYPORT_REDACTED");
        api.send("DELETE", policy + "?wait=applied&timeout=20s", "", 204);

        assertThat(api.applied()).isEqualTo("true");
        assertThat(get()).startsWith("403");
        JsonNode seen = api.send("GET", self, "", 200).path("data");
        assertThat(seen.path("status").asText()).isEqualTo("connected");
        assertThat(seen.path("applied_revision").asLong()).isGreaterThanOrEqualTo(api.lastRevision());
    }

    /** Until the first snapshot 503 not_ready. */
    @Test
    void withoutAFirstSnapshotEverythingIsRefused() throws Exception {
        control.close();
        proxy = proxy("");

        assertThat(get()).startsWith("503").contains("not_ready");
        assertThat(proxy.proxy().ready()).isFalse();
    }

    @Test
    void theLastSnapshotHoldsWhileTheControlPlaneIsAwayAlsoAcrossRestartsAndTheConnectionComesBack() throws Exception {
        api.create(NETWORK, ControlApi.network("origin", "127.0.0.1"));
        proxy = proxy("");
        until("200");
        control.close();
        assertThat(get()).startsWith("200");
        proxy.close();

        proxy = proxy("");
        assertThat(get()).as("from the cache").startsWith("200");

        control = control();
        api.create("/v1/policies/network", ControlApi.network("other", "other.test"));
        soon().untilAsserted(() -> assertThat(api.send("GET", self, "", 200)
                        .at("/data/applied_revision")
                        .asLong())
                .isGreaterThanOrEqualTo(api.lastRevision()));
    }

    /** A proxy whose feed answers 401 proxy_revoked wipes its cache and refuses with 503. */
    @Test
    void aRevokedTokenEndsEverything() throws Exception {
        api.create(NETWORK, ControlApi.network("origin", "127.0.0.1"));
        proxy = proxy("");
        until("200");
        soon().until(() -> Files.exists(folder.resolve("proxy/cache/snapshot")));

        api.send("DELETE", self, "", 204);

        until("503");
        soon().until(() -> !Files.exists(folder.resolve("proxy/cache/snapshot")));
        proxy.close();
        proxy = proxy("");
        assertThat(get()).startsWith("503");
    }

    /** A pipeline that cannot be built refuses everything, and the policy is named, at its place in the snapshot. */
    @ParameterizedTest
    @ValueSource(strings = {"", OWN_GATE})
    void aPolicyThatCannotBeBuiltRefusesEverythingAndIsNamed(String transforms) throws Exception {
        api.create(NETWORK, ControlApi.network("origin", "127.0.0.1"));
        proxy = proxy(transforms);
        until("200");

        // when
        String policy = api.send(
                        "POST",
                        "/v1/policies/secrets?wait=applied&timeout=20s",
                        "{\"name\": \"key\", \"priority\": 1, \"match_tags\": [\"eu\"], \"mode\": \"inject\", \"source\": {\"type\": \"cloud_sm\", \"secret_id\": \"s\"}, \"inject_config\": {\"header\": \"Authorization\"}}",
                        201)
                .at("/data/id")
                .asText();

        // then: there is no source of this type
        assertThat(api.applied()).isEqualTo("true");
        assertThat(get()).startsWith("503").contains("policy_unavailable");
        JsonNode problem = api.send("GET", self, "", 200).at("/data/problems/0");
        assertThat(problem.path("policy_id").asText()).isEqualTo(policy);
        assertThat(problem.path("pointer").asText()).startsWith("/transforms/1/config/secrets/0");

        // when
        api.send("DELETE", "/v1/policies/secrets/" + policy + "?wait=applied&timeout=20s", "", 204);

        // then
        assertThat(get()).startsWith("200");
        assertThat(api.send("GET", self, "", 200).at("/data/problems")).isEmpty();
    }

    /** Where the file has an allowlist, its operator has decided. */
    @Test
    void theFilesOwnGateStandsInPlaceOfTheSnapshots() throws Exception {
        proxy = proxy(OWN_GATE);

        until("200");
    }

    /** The gate of the snapshot stands again in the very step in which a file without one comes into force. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aReloadThatTakesTheFilesOwnGateOutLeavesNoMomentWithoutOne(boolean away) throws Exception {
        Path file = folder.resolve("proxy.yaml");
        String gated = building(OWN_GATE).yaml();
        Files.writeString(file, gated);
        proxy = building(OWN_GATE).start(file);
        until("200");
        if (away) {
            control.close();
        }

        for (int i = 0; i < 5; i++) {
            // when
            Files.writeString(file, gated.replace(OWN_GATE, ""));
            assertThat(proxy.proxy().reload()).isInstanceOf(ReloadResult.Reloaded.class);

            // then: the account has no rules
            assertThat(get()).startsWith("403").contains("allowlist");

            // when
            Files.writeString(file, gated);
            assertThat(proxy.proxy().reload()).isInstanceOf(ReloadResult.Reloaded.class);

            // then
            assertThat(get()).startsWith("200");
        }
    }
}
