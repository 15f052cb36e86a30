package dev.sallyport.it.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.it.CrossAttempts;
import dev.sallyport.it.Tenants;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * docs/spec/decisions.md, section 16, "Who is it?": workloads of two accounts through one proxy, which were made by the API.
 * Both have the same placeholder.
 */
@Timeout(300)
class TwoAccountsTest {

    private static final int TIMES = 12;
    private static final String WORKLOADS = "/v1/workloads/";
    private static final String ALICES = SharedProxy.VALUES.get("ALICE_KEY");
    private static final String BOBS = SharedProxy.VALUES.get("BOB_KEY");

    @TempDir
    Path folder;

    private final CountDownLatch done = new CountDownLatch(1);
    private SharedProxy shared;
    private CrossAttempts attempts;
    private ControlApi alice;
    private ControlApi bob;
    private CrossAttempts.Tenant hers;
    private CrossAttempts.Tenant his;
    private TestOrigin streaming;

    @BeforeEach
    void begin() throws Exception {
        TestCertificates certificates = new TestCertificates(folder);
        attempts = new CrossAttempts(certificates, CrossAttempts::path);
        shared = new SharedProxy(folder, certificates, "policy_sources: [\"env:BOB_KEY\"]");
        attempts.through(shared.proxy());
        alice = shared.signUp();
        bob = shared.signUp();
        SharedProxy.open(alice);
        SharedProxy.open(bob);
        alice.create("/v1/policies/secrets", SharedProxy.replace("ALICE_KEY"));
        bob.create("/v1/policies/secrets", SharedProxy.replace("BOB_KEY"));
        hers = SharedProxy.workload(alice, "ci", ALICES);
        his = SharedProxy.workload(bob, "ci", BOBS);
        streaming = TestOrigin.of(peer -> {
            peer.request();
            peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
            peer.chunk("data: 1\n\n");
            done.await(3L * Patience.SECONDS, TimeUnit.SECONDS);
        });
    }

    @AfterEach
    void end() throws Exception {
        done.countDown();
        shared.close();
        attempts.close();
        streaming.close();
    }

    private static CrossAttempts.Tenant withKey(String user, ControlApi api, String value) {
        return new CrossAttempts.Tenant(user, api.key(), value);
    }

    /** What a request with these credentials, or without any, is answered; what of it arrives is in the attempt. */
    private int status(String attempt, String... lines) throws Exception {
        try (Wire client = shared.proxy().tunnel()) {
            return client.send(attempts.get(attempts.plain(), true, attempt, lines))
                    .message()
                    .status();
        }
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

    /** A stream of events that is under way. */
    private Wire stream(CrossAttempts.Tenant tenant) throws Exception {
        Wire client = shared.proxy().tunnel();
        client.send("GET http://" + streaming.authority() + "/events HTTP/1.1\r\nHost: " + streaming.authority()
                + "\r\n" + Wire.lines(Tenants.basic(tenant.user(), tenant.password())) + "\r\n");
        assertThat(client.readThrough("data: 1\n\n")).contains("200");
        return client;
    }

    @Test
    void twoHundredCrossAttemptsNeverGetTheOthersValue() throws Exception {
        shared.stop();
        shared.start("policy_sources: [\"env:BOB_KEY\"]", "default_account: none");
        attempts.through(shared.proxy());
        until(hers);
        until(his);

        for (int i = 0; i < TIMES; i++) {
            attempts.between(i % 2 == 0 ? hers : his, i % 2 == 0 ? his : hers, "");
        }

        assertThat(attempts.count()).isGreaterThanOrEqualTo(200);
    }

    /** After a restart: meanwhile it may be refused, and never gets anything else. */
    private void until(CrossAttempts.Tenant tenant) {
        await().atMost(Patience.usual()).until(() -> {
            String attempt = attempts.next();
            int status = status(attempt, Tenants.basic(tenant.user(), tenant.password()));
            if (status == 200) {
                attempts.assertOwn(attempt, tenant);
            } else {
                assertThat(status).isEqualTo(403);
            }
            return status == 200;
        });
    }

    /** Or any user name with an API key as password. */
    @Test
    void anApiKeyIsAPasswordOfItsAccountUnderAnyName() throws Exception {
        assertGets(withKey("anything", alice, ALICES));
        assertGets(withKey("anything", bob, BOBS));
        assertGets(withKey("", bob, BOBS));
        try (Wire client = attempts.socks(withKey("x", bob, BOBS), attempts.plain())) {
            String attempt = attempts.next();
            client.send(attempts.get(attempts.plain(), false, attempt).replace("127.0.0.1:", "localhost:"));
            assertThat(client.message().status()).isEqualTo(200);
            attempts.assertArrived(attempt, BOBS);
        }
        for (int i = 0; i < 2; i++) {
            attempts.withOwnNames(withKey("x", alice, ALICES), withKey("y", bob, BOBS), ALICES);
        }
    }

    /** The name of another account's workload with one's own key is one's own. */
    @Test
    void aKeyOpensItsOwnAccountAloneWhateverNameComesWithIt() throws Exception {
        assertGets(withKey(hers.user(), bob, BOBS));
        assertGets(withKey(his.user(), alice, ALICES));
        String organization =
                bob.send("GET", "/v1/me", "", 200).at("/organization/id").asText();
        assertThat(shared.proxy().record().at("/audit/workload").asText()).isEqualTo(organization);
    }

    /** What is not let through for one account is for the other. */
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

    @Test
    void aWorkloadThatIsDeletedIsRefusedAndWhatItHasUnderWayEnds() throws Exception {
        try (Wire client = stream(his);
                Wire tunnel = attempts.connected(his, attempts.plain())) {
            bob.send("DELETE", WORKLOADS + his.user() + "?wait=applied", "", 204);
            assertThat(bob.applied()).isEqualTo("true");

            client.readToEnd();
            tunnel.readToEnd();
            assertRefused(407, his);
            assertGets(hers);
        }
    }

    /** Callers of no workload are Alice's: whoever was somebody else's is not taken for one. */
    @Test
    void afterTheLastKeyAndWorkloadWentNobodyIsTakenForACallerWithoutCredentials() throws Exception {
        String last = bob.send("POST", "/v1/api-keys", "{\"name\": \"last\"}", 201)
                .path("id")
                .asText();
        String own = bob.send("GET", "/v1/me", "", 200).at("/api_key/id").asText();
        bob.send("DELETE", WORKLOADS + his.user() + "?wait=applied", "", 204);
        try (Wire client = stream(withKey("x", bob, BOBS))) {
            bob.send("DELETE", "/v1/api-keys/" + last, "", 204);
            bob.send("DELETE", "/v1/api-keys/" + own, "", 204);

            client.readToEnd();
            await().atMost(Patience.usual()).until(() -> status(attempts.next(), credentials(bob)) == 407);
        }
        assertRefused(407, his);
        String nobody = attempts.next();
        assertThat(status(nobody)).isEqualTo(200);
        attempts.assertArrived(nobody, ALICES);
    }

    /** What nobody known, or the other account, is refused is in the operator's log, and in no account's. */
    @Test
    void refusalsOfNobodysCallersAreNoEventsOfTheDefaultAccount() throws Exception {
        String wrong = Tenants.basic(his.user(), "wrong");
        String right = Tenants.basic(his.user(), his.password());
        refused(407, "GET http://wrong.test/ HTTP/1.1\r\nHost: wrong.test\r\n" + wrong + "\r\n\r\n");
        refused(407, "CONNECT tunnel.test:443 HTTP/1.1\r\nHost: x\r\n" + wrong + "\r\n\r\n");
        refused(407, "GET http://twice.test/ HTTP/1.1\r\nHost: twice.test\r\n" + right + "\r\n" + right + "\r\n\r\n");
        refused(400, "CONNECT body.test:443 HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n" + wrong + "\r\n\r\n");
        refused(400, "CONNECT his.test:443 HTTP/1.1\r\nHost: x\r\nHost: y\r\n" + right + "\r\n\r\n");
        refused(
                400,
                "GET http://framed.test/ HTTP/1.1\r\nHost: framed.test\r\nContent-Length: x\r\n" + right + "\r\n\r\n");
        assertGets(hers);
        assertGets(his);

        await().atMost(Patience.usual()).untilAsserted(() -> {
            assertThat(hosts(alice)).contains("127.0.0.1");
            assertThat(hosts(bob)).contains("127.0.0.1");
        });
        assertThat(hosts(alice))
                .doesNotContain("wrong.test", "tunnel.test", "twice.test", "body.test", "his.test", "framed.test");
        assertThat(hosts(bob))
                .doesNotContain("wrong.test", "tunnel.test", "twice.test", "body.test", "his.test", "framed.test");
        assertThat(shared.proxy().closeAndRecords())
                .extracting(record -> record.at("/audit/host").asText())
                .contains("wrong.test", "tunnel.test", "twice.test", "framed.test");
    }

    private void refused(int status, String request) throws Exception {
        try (Wire client = shared.proxy().tunnel()) {
            assertThat(client.send(request).message().status()).isEqualTo(status);
        }
    }

    private static List<String> hosts(ControlApi api) throws Exception {
        return api.send("GET", "/v1/audit/egress?limit=100", "", 200)
                .path("data")
                .valueStream()
                .map(event -> event.path("host").asText())
                .toList();
    }

    private static String credentials(ControlApi api) {
        return Tenants.basic("x", api.key());
    }

    @Test
    @Tag("long")
    void aKeyThatExpiresIsRefusedAndWhatItHasUnderWayEnds() throws Exception {
        Instant end = Instant.now().plusSeconds(4);
        String token = bob.send("POST", "/v1/api-keys", "{\"name\": \"short\", \"expires_at\": \"" + end + "\"}", 201)
                .path("token")
                .asText();
        CrossAttempts.Tenant brief = withKey("x", bob.with(token), BOBS);
        await().atMost(Patience.usual()).until(() -> status(attempts.next(), Tenants.basic("x", token)) == 200);

        try (Wire client = stream(brief)) {
            client.readToEnd();
        }
        assertThat(Instant.now()).isAfter(end);
        assertRefused(407, brief);
        assertGets(withKey("x", bob, BOBS));
    }

    /** Sources of policies resolve for the first account only, or for names that the operator lists. */
    @Test
    void aPolicyOfAnotherAccountDoesNotReadTheEnvironmentAndIsReported() throws Exception {
        JsonNode listed = bob.send("GET", "/v1/policies/secrets", "", 200);
        String policy = listed.at("/data/0/id").asText();
        bob.send("PUT", "/v1/policies/secrets/" + policy + "?wait=applied", SharedProxy.replace("ALICE_KEY"), 200);
        assertThat(bob.applied()).isEqualTo("true");

        String attempt = attempts.next();
        try (Wire client = shared.proxy().tunnel()) {
            Wire.Message answer = client.send(
                            attempts.get(attempts.plain(), true, attempt, Tenants.basic(his.user(), his.password())))
                    .message();
            assertThat(answer.status()).isEqualTo(403);
            assertThat(answer.body()).contains("secret_unavailable");
        }
        attempts.assertNothing(attempt);
        JsonNode workload = bob.send("GET", WORKLOADS + his.user(), "", 200);
        assertThat(workload.at("/problems/0/policy_id").asText()).isEqualTo(policy);
        assertThat(workload.at("/problems/0/message").asText()).contains("env:ALICE_KEY", "control.policy_sources");
        assertThat(workload.path("applied_revision").asLong()).isEqualTo(bob.lastRevision());
        assertGets(hers);
        assertThat(alice.send("GET", WORKLOADS + hers.user(), "", 200).path("problems"))
                .isEmpty();
    }

    /** Once it has been answered with wait=applied, its credentials work, and the policies are in force. */
    @Test
    void aNewWorkloadWorksFromItsFirstRequest() throws Exception {
        for (int i = 0; i < 20; i++) {
            CrossAttempts.Tenant made = SharedProxy.workload(bob, "w" + i, BOBS);
            assertThat(bob.applied()).isEqualTo("true");
            assertGets(made);
        }
    }

    /** None: the embedded proxy takes control.default_account. */
    @Test
    void callersOfNoWorkloadHaveThePoliciesOfTheDefaultAccount() throws Exception {
        String first = attempts.next();
        assertThat(status(first)).isEqualTo(200);
        attempts.assertArrived(first, ALICES);
        String organization =
                bob.send("GET", "/v1/me", "", 200).at("/organization/id").asText();
        shared.stop();

        shared.start("default_account: " + organization, "policy_sources: [\"env:BOB_KEY\"]");
        attempts.through(shared.proxy());
        String named = attempts.next();
        assertThat(status(named)).isEqualTo(200);
        attempts.assertArrived(named, BOBS);
        shared.stop();

        shared.start("default_account: none");
        attempts.through(shared.proxy());
        assertThat(shared.proxy().proxy().ready()).isTrue();
        String nobody = attempts.next();
        assertThat(status(nobody)).isEqualTo(403);
        attempts.assertNothing(nobody);
        until(hers);
    }
}
