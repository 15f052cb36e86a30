package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.testsupport.Patience;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** docs/spec/decisions.md, sections 15 and 16: how policies come to a proxy elsewhere, event by event. */
@Timeout(180)
class FeedTest {

    private static final String NETWORK = "/v1/policies/network";
    private static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final TestControl control = TestControl.shared();
    private final Api api = control.newAccount();
    private String self = "";
    private String token = "";

    @BeforeEach
    void aProxy() {
        JsonNode made = api.post("/v1/proxies", "{\"name\": \"p\"}").data();
        self = "/v1/proxies/" + made.path("id").asText();
        token = made.path("token").asText();
    }

    private static String policy(String name) {
        return "{\"name\": \"" + name + "\", \"priority\": 1, \"rules\": [{\"host\": \"" + name + ".test\"}]}";
    }

    private long create(String name) {
        Api.Reply made = api.post(NETWORK, policy(name));
        assertThat(made.status()).isEqualTo(201);
        return Long.parseLong(made.header("Sallyport-Revision"));
    }

    private static List<String> hosts(FeedStream.Event snapshot) {
        return snapshot.pipeline().at("/transforms/0/config/rules").findValuesAsText("host");
    }

    @Test
    void aProxyThatComesGetsOneWholeSnapshotWithItsPlaceInTheOrder() throws Exception {
        long revision = create("a");
        try (FeedStream stream = FeedStream.open(control.address(), token)) {
            FeedStream.Event hello = stream.next();
            FeedStream.Event snapshot = stream.next();

            assertThat(hello.name()).isEqualTo("hello");
            assertThat(hello.data().path("heartbeat_seconds").asLong()).isPositive();
            assertThat(snapshot.name()).isEqualTo("snapshot");
            assertThat(snapshot.revision()).isGreaterThanOrEqualTo(revision);
            assertThat(snapshot.data().path("epoch")).isEqualTo(hello.data().path("epoch"));
            assertThat(snapshot.data().path("hash").asText()).matches("[0-9a-f]{64}");
            assertThat(hosts(snapshot)).containsExactly("a.test");
        }
    }

    /** One snapshot is on its way; of those that wait, the newest replaces the others. */
    @Test
    void whileOneIsOnItsWayTheLatestWins() throws Exception {
        try (FeedStream stream = FeedStream.open(control.address(), token)) {
            FeedStream.Event first = stream.next("snapshot");
            create("a");
            create("b");
            assertThat(api.post(NETWORK + "?wait=applied&timeout=500ms", policy("c"))
                            .header("Sallyport-Applied"))
                    .as("the first one is not acknowledged")
                    .isEqualTo("false");

            // when
            stream.acknowledge(first);

            // then: all of them at once
            FeedStream.Event second = stream.next("snapshot");
            assertThat(hosts(first)).isEmpty();
            assertThat(hosts(second)).containsExactlyInAnyOrder("a.test", "b.test", "c.test");
            stream.acknowledge(second);
            create("d");
            assertThat(hosts(stream.next("snapshot")))
                    .as("nothing between them")
                    .hasSize(4);
        }
    }

    /** The acknowledgement names the revision: another one, or one of another epoch, is none. */
    @Test
    void anAcknowledgementOfSomethingElseIsNone() throws Exception {
        try (FeedStream stream = FeedStream.open(control.address(), token)) {
            FeedStream.Event first = stream.next("snapshot");
            stream.acknowledge(first.data().path("epoch").asText(), first.revision() - 1);
            stream.acknowledge("another", first.revision());
            assertThat(api.get(self).data().path("applied_revision").asLong()).isZero();

            assertThat(api.post(NETWORK + "?wait=applied&timeout=500ms", policy("a"))
                            .header("Sallyport-Applied"))
                    .isEqualTo("false");

            stream.acknowledge(first);
            stream.take();
            assertThat(api.get(self).data().path("applied_revision").asLong()).isGreaterThan(first.revision());
        }
    }

    private Api.Reply acknowledge(FeedStream.Event snapshot, long revision, String problems) {
        return control.anonymous()
                .withKey(token)
                .post(
                        "/v1/feed/acknowledgements",
                        "{\"epoch\": \"" + snapshot.data().path("epoch").asText() + "\", \"revision\": " + revision
                                + ", \"problems\": " + problems + "}");
    }

    @Test
    void anAcknowledgementOfWhatNobodyHasChangedIsRefused() throws Exception {
        try (FeedStream stream = FeedStream.open(control.address(), token)) {
            FeedStream.Event first = stream.next("snapshot");

            Api.Reply reply = acknowledge(first, first.revision() + 1_000_000, "[]");

            assertThat(reply.error()).isEqualTo("422 validation_error");
            assertThat(reply.fields()).containsExactly("revision");
            assertThat(api.get(self).data().path("applied_revision").asLong()).isZero();
        }
        FeedStream.Event none = new FeedStream.Event("snapshot", Api.tree("{\"epoch\": \"another\"}"), "");
        assertThat(acknowledge(none, 1_000_000_000, "[]").status()).isEqualTo(204);
    }

    /** The first may have come by another process, which does not tell of problems. */
    @Test
    void problemsOfAnAcknowledgementAreKeptAlsoWhenItIsTheSecond() throws Exception {
        String policy = api.post(NETWORK, policy("a")).data().path("id").asText();
        try (FeedStream stream = FeedStream.open(control.address(), token)) {
            FeedStream.Event first = stream.take();

            acknowledge(
                    first,
                    first.revision(),
                    "[{\"pointer\": \"/transforms/0/config/rules/0/host\", \"message\": \"broken\"}]");

            JsonNode problem = api.get(self).data().at("/problems/0");
            assertThat(problem.path("policy_id").asText()).isEqualTo(policy);
            assertThat(problem.path("message").asText()).isEqualTo("broken");
        }
    }

    /** What it had applied when it was there before tells nothing of what it has now. */
    @Test
    void whatAProxyAppliedInAnEarlierLifeIsNoAcknowledgement() throws Exception {
        create("a");
        try (FeedStream stream = FeedStream.open(control.address(), token)) {
            stream.take();
        }
        try (FeedStream stream = FeedStream.open(control.address(), token)) {
            FeedStream.Event again = stream.next("snapshot");

            assertThat(api.get(self).data().path("applied_revision").asLong()).isZero();
            stream.acknowledge(again);
            assertThat(api.get(self).data().path("applied_revision").asLong()).isEqualTo(again.revision());
        }
    }

    @Test
    void egressRulesAndTheirModeReachAConnectedProxy() throws Exception {
        create("a");
        try (FeedStream stream = FeedStream.open(control.address(), token)) {
            assertThat(hosts(stream.take())).containsExactly("a.test");

            assertThat(api.post("/v1/egress/rules", "{\"host\": \"b.test\"}").status())
                    .isEqualTo(201);
            FeedStream.Event second = stream.take();
            assertThat(api.put("/v1/egress/policy", "{\"mode\": \"warn\"}").status())
                    .isEqualTo(200);
            FeedStream.Event third = stream.take();

            assertThat(hosts(second)).containsExactly("a.test", "b.test");
            assertThat(second.pipeline().at("/transforms/0/config/warn").asBoolean())
                    .isFalse();
            assertThat(third.pipeline().at("/transforms/0/config/warn").asBoolean())
                    .isTrue();
            assertThat(hosts(third)).containsExactly("a.test", "b.test");
        }
    }

    /** Each set of tags is a pipeline of its own. */
    @Test
    void proxiesOfTwentySetsOfTagsConnectAtMost() throws Exception {
        List<FeedStream> streams = new ArrayList<>();
        try {
            for (int i = 0; i < 20; i++) {
                streams.add(FeedStream.open(control.address(), tagged("t" + i, "t" + i)));
            }
            String more = tagged("more", "more");
            FeedStream.Opening refused = FeedStream.connect(control.address(), more);
            assertThat(refused.status()).isEqualTo(409);
            assertThat(refused.text()).contains("quota_exceeded", "sets of tags");
            streams.add(FeedStream.open(control.address(), tagged("same", "t1")));

            // when
            streams.removeFirst().close();
            create("a"); // what is sent finds out that the proxy went away

            // then
            await().atMost(Patience.seconds(60))
                    .pollInterval(Duration.ofSeconds(2))
                    .until(() -> {
                        FeedStream.Opening opening = FeedStream.connect(control.address(), more);
                        if (opening.stream() != null) {
                            streams.add(opening.stream());
                        }
                        return opening.status() == 200;
                    });
        } finally {
            streams.forEach(FeedStream::close);
        }
    }

    private String tagged(String name, String tag) {
        return api.post("/v1/proxies", "{\"name\": \"" + name + "\", \"tags\": [\"" + tag + "\"]}")
                .data()
                .path("token")
                .asText();
    }

    /** Nobody knows what its policies are: its proxies keep what they have, and others get what they should. */
    @Test
    @Tag("long")
    void anAccountThatCannotBeReadKeepsNoOtherFromItsPolicies() throws Exception {
        String organization = api.get("/v1/me").json().at("/organization/id").asText();
        List<FeedStream> others = new ArrayList<>();
        try (FeedStream mine = FeedStream.open(control.address(), token)) {
            mine.take();
            List<Api> accounts = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                Api other = control.newAccount();
                accounts.add(other);
                others.add(FeedStream.open(
                        control.address(),
                        other.post("/v1/proxies", "{\"name\": \"p\"}")
                                .data()
                                .path("token")
                                .asText()));
                others.getLast().take();
            }

            control.execute("update organization set egress_mode = 'broken' where id = '" + organization + "'");
            create("a");
            accounts.forEach(other -> other.post(NETWORK, policy("b")));

            for (FeedStream other : others) {
                assertThat(hosts(other.take())).containsExactly("b.test");
            }
            control.execute("update organization set egress_mode = 'enforce' where id = '" + organization + "'");
            assertThat(hosts(mine.take())).containsExactly("a.test");
        } finally {
            others.forEach(FeedStream::close);
        }
    }

    /** Nobody knows whether proxies have what they should have. */
    @Tag("long")
    @Test
    void whileChangesCannotBeReadNothingIsVouchedForAndItIsNotReady() throws Exception {
        try (TestControl own = TestControl.with(TestControl.NO_LIMITS)) {
            String proxy = own.newAccount()
                    .post("/v1/proxies", "{\"name\": \"p\"}")
                    .data()
                    .path("token")
                    .asText();
            try (FeedStream stream = FeedStream.open(own.address(), proxy)) {
                stream.take();
                assertThat(own.anonymous().get("/readyz").status()).isEqualTo(200);

                // when
                own.execute("alter table change rename to change_elsewhere");
                own.execute("update change_counter set value = value + 1");

                // then
                await().atMost(Patience.seconds(60))
                        .until(() -> own.anonymous().get("/readyz").status() == 503);
                FeedStream.Event event = stream.next();
                while (event.name().equals("heartbeat")) { // from before
                    event = stream.next();
                }
                assertThat(event.name()).isEqualTo("busy");

                own.execute("alter table change_elsewhere rename to change");
                await().atMost(Patience.seconds(60))
                        .until(() -> own.anonymous().get("/readyz").status() == 200);
                stream.next("heartbeat");
            }
        }
    }

    /** Changes within 50 ms are one snapshot: no more of them come than there are such times. */
    @Test
    void changesUnderLoadComeTogether() throws Exception {
        int clients = 8;
        int each = 40;
        try (FeedStream stream = FeedStream.open(control.address(), token);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            stream.take();
            long began = System.nanoTime();
            List<Future<Long>> running = new ArrayList<>();
            for (int client = 0; client < clients; client++) {
                String name = "c" + client + "-";
                running.add(threads.submit(() -> {
                    long last = 0;
                    for (int i = 0; i < each; i++) {
                        last = create(name + i);
                    }
                    return last;
                }));
            }
            int snapshots = 0;
            FeedStream.Event last;
            do {
                last = stream.take();
                snapshots++;
            } while (hosts(last).size() < clients * each);
            long spans = (System.nanoTime() - began) / GATHER_NANOS;

            assertThat((long) snapshots).isLessThanOrEqualTo(spans + 2);
            // A snapshot may contain a change that is later than its number: that one is then confirmed without
            // another.
            long newest = last.revision();
            for (Future<Long> future : running) {
                newest = Math.max(newest, future.get());
            }
            long all = newest;
            await().atMost(Patience.usual())
                    .until(() -> api.get(self).data().path("applied_revision").asLong() == all);
        }
    }

    /** A large pipeline comes compressed at first, and then as what differs; the whole of it where that is much. */
    @Test
    void aLargePipelineComesCompressedAndThenItsDifferences() throws Exception {
        try (FeedStream stream = FeedStream.open(control.address(), token)) {
            stream.take();
            api.post(NETWORK, large("one"));

            FeedStream.Event first = stream.take();
            api.post(NETWORK, policy("small"));
            FeedStream.Event second = stream.take();
            api.post(NETWORK, large("another"));
            FeedStream.Event third = stream.take();

            assertThat(first.data().has("pipeline_gzip")).isTrue();
            assertThat(hosts(first)).hasSize(300).contains("one-299.test");
            assertThat(second.data().at("/splice/base")).isEqualTo(first.data().path("hash"));
            assertThat(second.data().at("/splice/middle").asText()).hasSizeLessThan(100);
            assertThat(hosts(second)).hasSize(301).contains("one-0.test", "small.test");
            assertThat(third.data().has("pipeline_gzip")).isTrue();
            assertThat(hosts(third)).hasSize(601);
        }
    }

    private static String large(String name) {
        String rules = IntStream.range(0, 300)
                .mapToObj(i -> "{\"host\": \"" + name + "-" + i + ".test\", \"methods\": [\"GET\"]}")
                .collect(Collectors.joining(", "));
        return "{\"name\": \"" + name + "\", \"priority\": 1, \"rules\": [" + rules + "]}";
    }

    /** A lost connection resumes by what is held: nothing is sent twice. */
    @Test
    void whoeverHasThePresentSnapshotIsToldSo() throws Exception {
        create("a");
        FeedStream.Event first;
        try (FeedStream stream = FeedStream.open(control.address(), token)) {
            first = stream.take();
        }
        String hash = first.data().path("hash").asText();
        String position = first.data().path("epoch").asText() + ":" + first.revision();

        try (FeedStream stream =
                FeedStream.open(control.address(), token, "Last-Event-ID", position, "Sallyport-Snapshot", hash)) {
            stream.next("hello");
            FeedStream.Event current = stream.next();
            assertThat(current.name()).isEqualTo("current");
            assertThat(current.data().path("hash").asText()).isEqualTo(hash);
            create("b");
            assertThat(hosts(stream.next("snapshot"))).hasSize(2);
        }
    }

    /** A restore of the database begins a new epoch: full resync. */
    @Test
    void whatIsOfAnotherEpochCountsForNothing() throws Exception {
        FeedStream.Event first;
        try (FeedStream stream = FeedStream.open(control.address(), token)) {
            first = stream.take();
        }

        try (FeedStream stream = FeedStream.open(
                control.address(),
                token,
                "Last-Event-ID",
                "another:" + first.revision(),
                "Sallyport-Snapshot",
                first.data().path("hash").asText())) {
            assertThat(stream.next("snapshot").data().path("hash"))
                    .isEqualTo(first.data().path("hash"));
        }
    }

    @Tag("long")
    @Test
    void aHeartbeatSaysWhatIsHeldAndUntilWhenThatHolds() throws Exception {
        try (FeedStream stream = FeedStream.open(control.address(), token)) {
            FeedStream.Event held = stream.take();

            FeedStream.Event heartbeat = stream.next("heartbeat");

            assertThat(heartbeat.data().path("hash")).isEqualTo(held.data().path("hash"));
            assertThat(heartbeat.revision()).isGreaterThanOrEqualTo(held.revision());
            assertThat(validUntil(heartbeat))
                    .isAfter(validUntil(held))
                    .isAfter(control.clock().instant().plus(Duration.ofSeconds(1)));
        }
    }

    private static Instant validUntil(FeedStream.Event event) {
        return Instant.parse(event.data().path("valid_until").asText());
    }

    @Test
    void anotherConnectionOfTheSameProxyTakesThePlaceOfTheFirst() throws Exception {
        try (FeedStream first = FeedStream.open(control.address(), token)) {
            first.take();
            try (FeedStream second = FeedStream.open(control.address(), token)) {
                assertThat(first.next("end").name()).isEqualTo("end");
                second.take();
                create("a");
                assertThat(hosts(second.next("snapshot"))).hasSize(1);
            }
        }
    }

    @Test
    void aRevokedProxyIsToldSoOnItsStreamAndWhenItComesAgain() throws Exception {
        try (FeedStream stream = FeedStream.open(control.address(), token)) {
            stream.take();

            api.delete(self);

            stream.next("revoked");
            stream.next("end");
        }
        FeedStream.Opening again = FeedStream.connect(control.address(), token);
        assertThat(again.status()).isEqualTo(401);
        assertThat(again.text()).contains("proxy_revoked");
    }

    /** Another account's change concerns nobody but its own proxies. */
    @Test
    void changesOfAnotherAccountAreNotSent() throws Exception {
        Api other = control.newAccount();
        try (FeedStream stream = FeedStream.open(control.address(), token)) {
            FeedStream.Event first = stream.take();
            other.post(NETWORK, policy("other"));
            create("mine");

            FeedStream.Event second = stream.next("snapshot");
            assertThat(second.revision()).isGreaterThan(first.revision() + 1);
            assertThat(hosts(second)).containsExactly("mine.test");
        }
    }

    /** Leaving it out could open what it closes. */
    @Test
    void aPolicyThatCannotBeReadClosesItsAccountAloneAndIsNamed() throws Exception {
        String broken = api.post(NETWORK, policy("a")).data().path("id").asText();
        Api other = control.newAccount();
        String theirs = other.post("/v1/proxies", "{\"name\": \"p\"}")
                .data()
                .path("token")
                .asText();
        try (FeedStream mine = FeedStream.open(control.address(), token);
                FeedStream their = FeedStream.open(control.address(), theirs)) {
            assertThat(hosts(mine.take())).hasSize(1);
            their.take();

            control.execute("update policy set content = '[]' where id = '" + broken + "'");
            create("b");
            other.post(NETWORK, policy("c"));

            assertThat(hosts(mine.take())).isEmpty();
            assertThat(hosts(their.take())).containsExactly("c.test");
            JsonNode problem = api.get(self).data().at("/problems/0");
            assertThat(problem.path("policy_id").asText()).isEqualTo(broken);
            assertThat(problem.path("message").asText()).contains("cannot be read");
        }
    }

    /** Reconnecting proxies are admitted by a token bucket: the others get 503 with Retry-After, and come in later. */
    @Tag("long")
    @Test
    void moreProxiesThanAreLetInAtOnceComeLater() throws Exception {
        try (TestControl narrow = TestControl.with("  feed: {connect_burst: 2, connects_per_second: 1}\n")) {
            String known = narrow.newAccount()
                    .post("/v1/proxies", "{\"name\": \"p\"}")
                    .data()
                    .path("token")
                    .asText();
            FeedStream.Opening refused = opening(narrow, known, 503);
            assertThat(refused.text()).contains("overloaded");
            assertThat(refused.retryAfter()).matches("[1-9][0-9]*");

            TimeUnit.SECONDS.sleep(Long.parseLong(refused.retryAfter()));
            FeedStream.Opening admitted = opening(narrow, known, 200);
            assertThat(admitted.stream()).isNotNull();
            try (FeedStream stream = admitted.stream()) {
                assertThat(stream.next("snapshot").revision()).isPositive();
            }
        }
    }

    /** Connects until the answer is this. */
    private static FeedStream.Opening opening(TestControl at, String token, int status) throws Exception {
        FeedStream.Opening opening = FeedStream.connect(at.address(), token);
        while (opening.status() != status) {
            if (opening.stream() != null) {
                opening.stream().close();
            }
            opening = FeedStream.connect(at.address(), token);
        }
        return opening;
    }
}
