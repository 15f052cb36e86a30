package dev.sallyport.it.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.it.CrossAttempts;
import dev.sallyport.it.Tenants;
import dev.sallyport.it.TestProxy;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * docs/spec/decisions.md, section 16: accounts share a proxy elsewhere, which {@code control add-proxy --shared} has made.
 * Both have a stored secret of the same name, and so the same placeholder.
 */
@Timeout(300)
class SharedElsewhereTest {

    private static final int TIMES = 12;
    private static final String PLACEHOLDER = "SALLYPORT_PROXY_KEY";
    private static final String WORKLOADS = "/v1/workloads/";
    private static final String ALICES = "secret-of-alice-0123456789";
    private static final String BOBS = "secret-of-bob-0123456789";

    @TempDir
    Path folder;

    private final CountDownLatch done = new CountDownLatch(1);
    private CrossAttempts attempts;
    private TestCertificates certificates;
    private ControlSite site;
    private String token;
    private TestProxy proxy;
    private ControlApi alice;
    private ControlApi bob;
    private String bobsSecret;
    private CrossAttempts.Tenant hers;
    private CrossAttempts.Tenant his;
    private TestOrigin streaming;

    @BeforeEach
    void begin() throws Exception {
        certificates = new TestCertificates(folder);
        attempts = new CrossAttempts(certificates, head -> Wire.field(head, "X-Key"), PLACEHOLDER);
        streaming = TestOrigin.of(peer -> {
            peer.request();
            peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
            peer.chunk("data: 1\n\n");
            done.await(3L * Patience.SECONDS, TimeUnit.SECONDS);
            peer.chunk("data: 2\n\n");
            peer.send("0\r\n\r\n");
        });
        site = new ControlSite(folder.resolve("control"));
        token = site.addShared("eu-1", "eu");
        alice = site.signUp();
        bob = site.signUp();
        SharedProxy.open(alice);
        SharedProxy.open(bob);
        secret(alice, ALICES);
        bobsSecret = secret(bob, BOBS);
        hers = SharedProxy.workload(alice, "ci", ALICES);
        start();
        his = SharedProxy.workload(bob, "ci", BOBS);
        assertThat(bob.applied()).isEqualTo("true");
    }

    @AfterEach
    void end() throws Exception {
        done.countDown();
        proxy.close();
        site.close();
        attempts.close();
        streaming.close();
    }

    private void start() throws Exception {
        proxy = TestProxy.builder(Files.createDirectories(folder.resolve("proxy")))
                .certificates(certificates)
                .catalog(ControlSite.catalog())
                .environment(Map.of(ControlSite.TOKEN, token, "OPERATORS", "value-of-the-operator"))
                .proxyLines("upstream_deny_cidrs: []")
                .sections(site.section("cache_dir: " + folder.resolve("cache")))
                .start();
        attempts.through(proxy);
        await().atMost(Patience.usual()).until(() -> proxy.proxy().ready());
    }

    private static String secret(ControlApi api, String value) throws Exception {
        JsonNode made = api.send(
                "POST",
                "/v1/secrets?wait=applied",
                "{\"name\": \"KEY\", \"secret\": \"" + value + "\", \"env_var\": \"KEY\"}",
                201);
        return "/v1/secrets/" + made.path("id").asText();
    }

    private static ConditionFactory soon() {
        return await().pollInterval(Duration.ofMillis(20)).atMost(Patience.seconds(60));
    }

    private static CrossAttempts.Tenant withKey(String user, ControlApi api, String value) {
        return new CrossAttempts.Tenant(user, api.key(), value);
    }

    private int status(String attempt, String... lines) throws Exception {
        try (Wire client = proxy.tunnel()) {
            return client.send(attempts.get(attempts.plain(), true, attempt, lines))
                    .message()
                    .status();
        }
    }

    private int status(CrossAttempts.Tenant tenant) throws Exception {
        return status(attempts.next(), Tenants.basic(tenant.user(), tenant.password()));
    }

    private void assertGets(CrossAttempts.Tenant tenant) throws Exception {
        String attempt = attempts.next();
        assertThat(status(attempt, Tenants.basic(tenant.user(), tenant.password())))
                .isEqualTo(200);
        attempts.assertOwn(attempt, tenant);
    }

    private void assertRefused(int status, CrossAttempts.Tenant tenant) throws Exception {
        String attempt = attempts.next();
        assertThat(status(attempt, Tenants.basic(tenant.user(), tenant.password())))
                .isEqualTo(status);
        attempts.assertNothing(attempt);
    }

    /** A stream of events that is under way, and whose request has sent the secret. */
    private Wire stream(CrossAttempts.Tenant tenant) throws Exception {
        Wire client = proxy.tunnel();
        client.send("GET http://" + streaming.authority() + "/events HTTP/1.1\r\nHost: " + streaming.authority()
                + "\r\nX-Key: " + PLACEHOLDER + "\r\n" + Wire.lines(Tenants.basic(tenant.user(), tenant.password()))
                + "\r\n");
        assertThat(client.readThrough("data: 1\n\n")).contains("200");
        return client;
    }

    private void assertGoesOn(Wire stream) throws Exception {
        done.countDown();
        assertThat(stream.readThrough("data: 2\n\n")).contains("data: 2");
    }

    @Test
    void twoHundredCrossAttemptsNeverGetTheOthersValue() throws Exception {
        for (int i = 0; i < TIMES; i++) {
            attempts.between(i % 2 == 0 ? hers : his, i % 2 == 0 ? his : hers, "");
        }

        assertThat(attempts.count()).isGreaterThanOrEqualTo(200);
    }

    /** None matches: there is no default account at a proxy elsewhere. */
    @Test
    void whoeverIsNobodyIsRefused() throws Exception {
        String nobody = attempts.next();
        assertThat(status(nobody)).isEqualTo(403);
        attempts.assertNothing(nobody);
        assertRefused(407, new CrossAttempts.Tenant(his.user(), hers.password(), ""));
        assertRefused(407, new CrossAttempts.Tenant("wl_nobody", "sp_workload_wrong", ""));
    }

    /** Any user name with an API key as password: it opens its own account, whatever name comes with it. */
    @Test
    void anApiKeyOpensItsOwnAccountAlone() throws Exception {
        assertGets(withKey("anything", alice, ALICES));
        assertGets(withKey(hers.user(), bob, BOBS));
        assertGets(withKey("", bob, BOBS));
        attempts.withOwnNames(withKey("x", alice, ALICES), withKey("y", bob, BOBS), "");
    }

    @Test
    void aWorkloadThatIsDeletedIsRefusedAndWhatItHasUnderWayEnds() throws Exception {
        try (Wire client = stream(his);
                Wire tunnel = attempts.connected(his, attempts.plain());
                Wire other = stream(hers)) {
            bob.send("DELETE", WORKLOADS + his.user() + "?wait=applied", "", 204);
            assertThat(bob.applied()).isEqualTo("true");

            client.readToEnd();
            tunnel.readToEnd();
            assertRefused(407, his);
            assertGets(hers);
            assertGoesOn(other);
        }
    }

    @Test
    void aKeyThatIsRevokedIsRefusedAndWhatItHasUnderWayEnds() throws Exception {
        JsonNode made = bob.send("POST", "/v1/api-keys", "{\"name\": \"second\"}", 201);
        CrossAttempts.Tenant second = withKey("x", bob.with(made.path("token").asText()), BOBS);
        soon().until(() -> status(second) == 200);
        try (Wire client = stream(second)) {
            bob.send("DELETE", "/v1/api-keys/" + made.path("id").asText(), "", 204);

            client.readToEnd();
        }
        assertRefused(407, second);
        assertGets(withKey("x", bob, BOBS));
    }

    @Tag("long")
    @Test
    void aKeyThatExpiresIsRefusedAndWhatItHasUnderWayEnds() throws Exception {
        Instant end = Instant.now().plusSeconds(4);
        JsonNode made = bob.send("POST", "/v1/api-keys", "{\"name\": \"short\", \"expires_at\": \"" + end + "\"}", 201);
        CrossAttempts.Tenant brief = withKey("x", bob.with(made.path("token").asText()), BOBS);
        soon().until(() -> status(brief) == 200);
        try (Wire client = stream(brief)) {
            client.readToEnd();
        }

        assertThat(Instant.now()).isAfter(end);
        assertRefused(407, brief);
    }

    @Test
    void aRotatedSecretReachesOpenConnectionsAndADeletedOneEndsThem() throws Exception {
        try (Wire tunnel = attempts.connected(his, attempts.plain());
                Wire client = stream(his);
                Wire other = stream(hers)) {
            String first = attempts.next();
            tunnel.send(attempts.get(attempts.plain(), false, first));
            assertThat(tunnel.message().status()).isEqualTo(200);
            attempts.assertArrived(first, BOBS);

            bob.send("PATCH", bobsSecret + "?wait=applied", "{\"secret\": \"rotated-9876543210\"}", 200);
            assertThat(bob.applied()).isEqualTo("true");
            String second = attempts.next();
            tunnel.send(attempts.get(attempts.plain(), false, second));
            assertThat(tunnel.message().status()).isEqualTo(200);
            attempts.assertArrived(second, "rotated-9876543210");

            bob.send("DELETE", bobsSecret + "?wait=applied", "", 204);
            assertThat(bob.applied()).isEqualTo("true");
            client.readToEnd();
            String third = attempts.next();
            tunnel.send(attempts.get(attempts.plain(), false, third));
            tunnel.message();
            assertThat(attempts.arrived(third)).as("its value is gone").isIn("", PLACEHOLDER);
            assertGets(hers);
            assertGoesOn(other);
        }
    }

    @Test
    void rulesOfOneAccountAreNotThoseOfTheOther() throws Exception {
        for (JsonNode rule : bob.send("GET", "/v1/egress/rules", "", 200).path("data")) {
            bob.send("DELETE", "/v1/egress/rules/" + rule.path("id").asText() + "?wait=applied", "", 204);
        }
        assertThat(bob.applied()).isEqualTo("true");

        assertRefused(403, his);
        assertRefused(403, withKey("x", bob, BOBS));
        assertGets(hers);
    }

    /** Policies reach it by its tags, and its environment is read by those of the first account alone. */
    @Test
    void policiesAreThoseOfItsTagsAndReadItsEnvironmentForTheFirstAccountAlone() throws Exception {
        String policy = SharedProxy.replace("OPERATORS").replace(Tenants.PLACEHOLDER, "tagged-placeholder");
        String elsewhere = policy.replace("\"key\"", "\"elsewhere\"")
                .replace("tagged-placeholder", "elsewhere-placeholder")
                .replace("{\"name\"", "{\"match_tags\": [\"us\"], \"name\"");
        policy = policy.replace("{\"name\"", "{\"match_tags\": [\"eu\"], \"name\"");
        for (ControlApi api : List.of(alice, bob)) {
            api.send("POST", "/v1/policies/secrets", elsewhere, 201);
            api.send("POST", "/v1/policies/secrets?wait=applied", policy, 201);
            assertThat(api.applied()).isEqualTo("true");
        }
        List<String> seen = new CopyOnWriteArrayList<>();
        try (TestOrigin origin = TestOrigin.handling(request -> {
                    seen.add(CrossAttempts.path(request.head()));
                    return TestOrigin.ok("seen");
                });
                Wire client = proxy.tunnel()) {
            assertThat(path(client, origin, hers, "tagged-placeholder").status())
                    .isEqualTo(200);
            assertThat(path(client, origin, hers, "elsewhere-placeholder").status())
                    .isEqualTo(200);
            Wire.Message refused = path(client, origin, his, "tagged-placeholder");
            assertThat(refused.status()).isEqualTo(403);
            assertThat(refused.body()).contains("secret_unavailable");
            assertThat(seen).containsExactly("value-of-the-operator", "elsewhere-placeholder");
        }
    }

    private static Wire.Message path(Wire client, TestOrigin origin, CrossAttempts.Tenant tenant, String path)
            throws IOException {
        client.send("GET http://" + origin.authority() + "/" + path + " HTTP/1.1\r\nHost: " + origin.authority()
                + "\r\n" + Wire.lines(Tenants.basic(tenant.user(), tenant.password())) + "\r\n");
        return client.message();
    }

    private static String organization(ControlApi api) throws Exception {
        return api.send("GET", "/v1/me", "", 200).at("/organization/id").asText();
    }

    private static List<String> hosts(ControlApi api) throws Exception {
        return api.send("GET", "/v1/audit/egress?limit=100", "", 200)
                .path("data")
                .valueStream()
                .map(event -> event.path("host").asText() + " "
                        + event.at("/replacements/0/secret").asText())
                .toList();
    }

    @Test
    void eventsAreThoseOfTheAccountWhoseWorkloadItWas() throws Exception {
        for (int i = 0; i < 3; i++) {
            assertGets(hers);
        }
        assertGets(his);
        assertGets(withKey("x", bob, BOBS));
        assertRefused(407, new CrossAttempts.Tenant(his.user(), hers.password(), ""));
        assertThat(status(attempts.next())).isEqualTo(403);
        site.stop();
        assertGets(hers);
        site.start();

        soon().untilAsserted(() -> {
            assertThat(hosts(alice)).hasSize(4);
            assertThat(hosts(bob)).hasSize(2);
        });
        String own = "127.0.0.1 " + organization(alice) + "/.*/KEY";
        String other = "127.0.0.1 " + organization(bob) + "/.*/KEY";
        assertThat(hosts(alice)).allMatch(event -> event.matches(own));
        assertThat(hosts(bob)).allMatch(event -> event.matches(other));
    }

    @Test
    void whatWasKeptServesWhileTheControlPlaneIsAwayAndWhatWentMeanwhileGoes() throws Exception {
        proxy.close();
        bob.send("DELETE", WORKLOADS + his.user(), "", 204);
        site.stop();
        start();
        assertGets(hers);
        assertGets(his);
        assertGets(withKey("x", bob, BOBS));

        site.start();

        soon().until(() -> status(his) == 407);
        assertGets(hers);
        assertGets(withKey("x", bob, BOBS));
        try (Wire client = stream(withKey("x", bob, BOBS))) {
            bob.send("PATCH", bobsSecret + "?wait=applied", "{\"secret\": \"rotated-9876543210\"}", 200);
            soon().untilAsserted(() -> assertGets(withKey("x", bob, "rotated-9876543210")));
            assertGoesOn(client);
        }
    }

    @Test
    void aRevokedOneForgetsAllAndRefusesEverybody() throws Exception {
        assertThat(site.administer("list-proxies", Map.of())).contains("eu-1", "connected", "tags eu");

        site.administer("revoke-proxy", Map.of("name", "eu-1"));

        soon().until(() -> status(hers) == 503);
        soon().untilAsserted(() -> assertThat(folder.resolve("cache/accounts")).isEmptyDirectory());
        assertThat(proxy.proxy().ready()).isFalse();
        assertThat(site.administer("list-proxies", Map.of())).isEmpty();
    }
}
