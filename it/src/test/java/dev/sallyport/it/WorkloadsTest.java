package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.core.Applied;
import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.PipelineSpec;
import dev.sallyport.core.PipelineUpdate;
import dev.sallyport.core.ReloadResult;
import dev.sallyport.core.StartException;
import dev.sallyport.core.WorkloadSpec;
import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.explain.ExplainRequest;
import dev.sallyport.core.explain.Explanation;
import dev.sallyport.spi.SecretValue;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Workloads: who they are, and what holds for them (docs/spec/decisions.md, section 16). */
@Timeout(120)
class WorkloadsTest {

    private static final String TWO = """
            transforms:
              - {name: allowlist, config: {domains: ["top.test"]}}
            workloads:
              - name: ci
                source_cidrs: [127.0.0.8/29]
                transforms:
                  - {name: allowlist, config: {domains: ["127.0.0.1"]}}
              - name: narrow
                source_cidrs: [127.0.0.9]
                proxy_users: [alice]
                transforms:
                  - {name: allowlist, config: {domains: ["127.0.0.1"]}}
              - name: roaming
                proxy_users: [bob]
                transforms:
                  - {name: allowlist, config: {domains: ["127.0.0.1"]}}
            """;

    private static final String[] USERS = {
        "upstream_deny_cidrs: []",
        "auth:",
        "  users:",
        "    - {name: alice, password: {type: test, name: ALICE}}",
        "    - {name: bob, password: {type: test, name: BOB}}",
        "    - {name: carol, password: {type: test, name: CAROL}}"
    };

    @TempDir
    Path folder;

    private final TestSecrets secrets = new TestSecrets()
            .set("ALICE", Tenants.password("alice"))
            .set("BOB", Tenants.password("bob"))
            .set("CAROL", Tenants.password("carol"));
    private final CountDownLatch done = new CountDownLatch(1);
    private TestOrigin origin;

    @BeforeEach
    void open() throws Exception {
        origin = TestOrigin.answering(TestOrigin.ok("hello"));
    }

    @AfterEach
    void close() throws Exception {
        done.countDown();
        origin.close();
    }

    private TestProxy.Builder proxy(String sections) {
        return TestProxy.builder(folder)
                .catalog(Tenants.catalog(secrets))
                .proxyLines(USERS)
                .sections(sections);
    }

    private String get(String... lines) {
        return "GET http://" + origin.authority() + "/ HTTP/1.1\r\nHost: " + origin.authority() + "\r\n"
                + (lines.length == 0 ? "" : Wire.lines(lines)) + "\r\n";
    }

    /** Sends a request from this address; checks the code of the refusal, or that there is none, and the workload. */
    private void expect(TestProxy proxy, String address, String code, String workload, String... lines)
            throws Exception {
        try (Wire client = Tenants.from(address, proxy.proxy().tunnelAddress())) {
            Wire.Message answer = client.send(get(lines)).message();
            if (code.isEmpty()) {
                assertThat(answer.status()).as(answer.body()).isEqualTo(200);
            } else {
                assertThat(answer.status()).as(answer.body()).isEqualTo(403);
                assertThat(answer.body()).contains("\"code\":\"" + code + "\"");
            }
        }
        JsonNode audit = proxy.record().get("audit");
        assertThat(audit.get("workload").asText()).isEqualTo(workload);
    }

    @Test
    void theSourceAddressSelects() throws Exception {
        try (TestProxy proxy = proxy(TWO).start()) {
            expect(proxy, "127.0.0.8", "", "ci");
        }
    }

    @Test
    void theLongestPrefixIsTheCandidateAndBothSelectorsMustHold() throws Exception {
        try (TestProxy proxy = proxy(TWO).start()) {
            expect(proxy, "127.0.0.9", "", "narrow", Tenants.as("alice"));
            expect(proxy, "127.0.0.9", "unknown_workload", "");
            expect(proxy, "127.0.0.9", "unknown_workload", "", Tenants.as("carol"));
        }
    }

    @Test
    void theProxyUserSelectsAtAnyAddress() throws Exception {
        try (TestProxy proxy = proxy(TWO).start()) {
            expect(proxy, "127.0.0.77", "", "roaming", Tenants.as("bob"));
        }
    }

    @Test
    void aUserOfOneWorkloadAtAnAddressOfAnotherIsAmbiguous() throws Exception {
        try (TestProxy proxy = proxy(TWO).start()) {
            expect(proxy, "127.0.0.8", "ambiguous_workload", "", Tenants.as("bob"));
            expect(proxy, "127.0.0.8", "ambiguous_workload", "", Tenants.as("alice"));
        }
    }

    /** Whose events records become: those of callers that cannot be told are nobody's. */
    @Test
    void recordsSayWhetherTheCallerWasTold() throws Exception {
        BlockingQueue<Boolean> untold = new LinkedBlockingQueue<>();
        try (TestProxy proxy =
                proxy(TWO).listener(record -> untold.add(record.isUntold())).start()) {
            expect(proxy, "127.0.0.9", "unknown_workload", "");
            assertThat(untold.take()).isTrue();
            expect(proxy, "127.0.0.8", "ambiguous_workload", "", Tenants.as("bob"));
            assertThat(untold.take()).isTrue();
            expect(proxy, "127.0.0.77", "", "roaming", Tenants.as("bob"));
            assertThat(untold.take()).isFalse();
            expect(proxy, "127.0.0.77", "destination_not_allowed", "");
            assertThat(untold.take()).isFalse();
        }
    }

    @Test
    void withoutAWorkloadTheTopLevelPipelineJudges() throws Exception {
        try (TestProxy proxy = proxy(TWO).start()) {
            expect(proxy, "127.0.0.77", "destination_not_allowed", "");
            expect(proxy, "127.0.0.77", "destination_not_allowed", "user:carol", Tenants.as("carol"));
            expect(proxy, "127.0.0.77", "destination_not_allowed", "user:alice", Tenants.as("alice"));
        }
    }

    @Test
    void aUserWithoutAWorkloadAtTheAddressOfOneIsOfIt() throws Exception {
        try (TestProxy proxy = proxy(TWO).start()) {
            expect(proxy, "127.0.0.8", "", "ci", Tenants.as("carol"));
        }
    }

    @Test
    void aTunnelOfOneThatCannotBeToldIsRefused() throws Exception {
        try (TestProxy proxy = proxy(TWO).start();
                Wire client = Tenants.from("127.0.0.8", proxy.proxy().tunnelAddress())) {
            client.send(head("CONNECT " + origin.authority() + " HTTP/1.1", "Host: x", Tenants.as("bob")));
            assertThat(client.message().body()).contains("ambiguous_workload");
        }
    }

    private void refused(String workloads, String... lines) {
        assertThatThrownBy(() -> proxy("transforms: [{name: allowlist}]\nworkloads:\n" + workloads + "\n")
                        .start()
                        .close())
                .isInstanceOf(StartException.class)
                .hasMessageContainingAll(lines);
    }

    @Test
    void workloadsThatCannotBeToldApartAreErrorsAtTheirPlaces() {
        refused("  - {name: a}", "/workloads/0: a workload that nothing selects");
        refused("""
                  - {name: a, source_cidrs: [10.0.0.0/8]}
                  - {name: a, source_cidrs: [10.1.0.0/16]}
                """, "/workloads/1/name: another workload has this name");
        refused("""
                  - {name: a, source_cidrs: [10.0.0.0/8]}
                  - {name: b, source_cidrs: [10.0.0.0/8], proxy_users: [bob]}
                """, "/workloads/1/source_cidrs/0: the workload \"a\" has the same range");
        refused("  - {name: a, source_cidrs: [10.0.0.0/8], transforms: []}", "/workloads/0/transforms: an empty list");
        refused("  - {name: a, proxy_users: [dave]}", "/workloads/0/proxy_users/0: no such user in proxy.auth");
        refused("  - {name: 'user:a', proxy_users: [bob]}", "/workloads/0/name");
        refused(
                "  - {name: 'control:sandboxes', source_cidrs: [10.0.0.0/8]}",
                "/workloads/0/name: a name of the control plane's own workloads");
        refused("  - {name: a, proxy_users: [bob], transforms: [{name: allowlst}]}", "/workloads/0/transforms/0/name");
    }

    @Test
    void equalPrefixesWithDisjointUsersAreTwoWorkloads() throws Exception {
        String yaml = """
                transforms: [{name: allowlist}]
                workloads:
                  - {name: a, source_cidrs: [127.0.0.8], proxy_users: [alice], transforms: [%1$s]}
                  - {name: b, source_cidrs: [127.0.0.8], proxy_users: [bob], transforms: [%1$s]}
                """.formatted("{name: allowlist, config: {domains: ['127.0.0.1']}}");
        try (TestProxy proxy = proxy(yaml).start()) {
            expect(proxy, "127.0.0.8", "", "a", Tenants.as("alice"));
            expect(proxy, "127.0.0.8", "", "b", Tenants.as("bob"));
            expect(proxy, "127.0.0.8", "unknown_workload", "");
        }
    }

    @Test
    void aPipelineWithoutAGateWarnsByName() throws Exception {
        String yaml = """
                transforms: [{name: allowlist}]
                workloads:
                  - {name: open, source_cidrs: [127.0.0.8], transforms: [{name: allowlist, config: {warn: true}}]}
                """;
        ConfigResult read =
                ConfigLoader.load("test.yaml", proxy(yaml).yaml(), folder, Map.of(), Tenants.catalog(secrets));
        assertThat(EgressProxy.check(read).warnings())
                .anyMatch(warning -> warning.pointer().equals("/workloads/0")
                        && warning.message().contains("of the workload open"));
    }

    @Test
    void explainTakesAWorkloadOrAnAddressAndAUser() throws Exception {
        try (TestProxy proxy = proxy(TWO).start()) {
            String url = "http://127.0.0.1:" + origin.port() + "/";
            assertThat(proxy.proxy()
                            .explain(ExplainRequest.builder("GET", url).build())
                            .code())
                    .isEqualTo("destination_not_allowed");
            Explanation named = proxy.proxy()
                    .explain(ExplainRequest.builder("GET", url).workload("ci").build());
            assertThat(named.verdict()).isEqualTo(Explanation.Verdict.ALLOW);
            assertThat(named.workload()).isEqualTo("ci");
            Explanation placed = proxy.proxy()
                    .explain(ExplainRequest.builder("GET", url)
                            .source(InetAddress.getByName("127.0.0.9"), 1)
                            .user("alice")
                            .build());
            assertThat(placed.workload()).isEqualTo("narrow");
            assertThat(placed.verdict()).isEqualTo(Explanation.Verdict.ALLOW);
            Explanation ambiguous = proxy.proxy()
                    .explain(ExplainRequest.builder("GET", url)
                            .source(InetAddress.getByName("127.0.0.8"), 1)
                            .user("bob")
                            .build());
            assertThat(ambiguous.code()).isEqualTo("ambiguous_workload");
        }
    }

    @Test
    void metersTellOfEachWorkload() throws Exception {
        try (TestProxy proxy = proxy(TWO).start()) {
            expect(proxy, "127.0.0.8", "", "ci");
            expect(proxy, "127.0.0.77", "", "roaming", Tenants.as("bob"));
            try (Wire client = Tenants.from("127.0.0.77", proxy.proxy().tunnelAddress())) {
                String elsewhere = "GET http://elsewhere.test/ HTTP/1.1\r\nHost: elsewhere.test\r\n";
                client.send(elsewhere + Tenants.as("bob") + "\r\n\r\n");
                assertThat(client.message().status()).isEqualTo(403);
            }
            proxy.record();

            assertThat(proxy.proxy().count("workload.exchanges", "ci")).isEqualTo(1);
            assertThat(proxy.proxy().count("workload.rejections", "ci")).isZero();
            assertThat(proxy.proxy().count("workload.exchanges", "roaming")).isEqualTo(2);
            assertThat(proxy.proxy().count("workload.rejections", "roaming")).isEqualTo(1);
            assertThat(proxy.proxy().count("workload.exchanges", "narrow")).isZero();
            assertThat(proxy.proxy().workloads()).containsExactly("ci", "narrow", "roaming");
        }
    }

    /** A policy that was delivered and cannot be built refuses its callers, and keeps no file from coming into force. */
    @Test
    void aBrokenDeliveredPolicyKeepsNoReloadFromComingIntoForce() throws Exception {
        Path file = folder.resolve("proxy.yaml");
        TestProxy.Builder from = proxy("");
        Files.writeString(file, from.yaml() + TWO);
        try (TestProxy proxy = from.start(file)) {
            Applied applied = Tenants.apply(
                    proxy,
                    PipelineUpdate.builder()
                            .upsert(WorkloadSpec.builder("fed")
                                    .sourceCidr("127.0.0.99")
                                    .pipeline(PipelineSpec.of("transforms: [{name: alowlist}]"))
                                    .build())
                            .unclaimed(PipelineSpec.of("transforms: [{name: alowlist}]")));
            assertThat(applied.problems()).containsOnlyKeys("", "fed");

            // when
            Files.writeString(file, from.yaml() + TWO.replaceFirst("top.test", "other.test"));

            // then
            assertThat(proxy.proxy().reload()).isInstanceOf(ReloadResult.Reloaded.class);
            expect(proxy, "127.0.0.8", "", "ci");
            try (Wire client = Tenants.from("127.0.0.77", proxy.proxy().tunnelAddress())) {
                Wire.Message answer = client.send(get()).message();
                assertThat(answer.status()).isEqualTo(503);
                assertThat(answer.body()).contains("policy_unavailable");
            }

            // when the policy is mended
            Tenants.applyAll(proxy, PipelineUpdate.builder().unclaimedByFile());

            // then
            proxy.record();
            expect(proxy, "127.0.0.77", "destination_not_allowed", "");
        }
    }

    /** The transform of the application outlives the refusal: {@link TestProxy} checks that it is closed once. */
    @Test
    void aBrokenPolicyOfCallersOfNoWorkloadRefusesThemUntilItIsMended() throws Exception {
        Path file = folder.resolve("proxy.yaml");
        TestProxy.Builder from = TestProxy.builder(folder).catalog(Tenants.catalog());
        Files.writeString(file, from.yaml() + "transforms: []\n");
        try (TestProxy proxy = from.start(file)) {
            expect(proxy, "127.0.0.1", "", "");

            // when
            for (String name : List.of("alowlist", "allow")) {
                Applied applied = Tenants.apply(
                        proxy,
                        PipelineUpdate.builder().unclaimed(PipelineSpec.of("transforms: [{name: " + name + "}]")));

                // then
                assertThat(applied.problems()).containsOnlyKeys("");
                assertThat(applied.problems().get("").getFirst().pointer()).isEqualTo("/transforms/0/name");
                expectNoPolicy(proxy);
            }
            assertThat(proxy.proxy().reload()).isInstanceOf(ReloadResult.Reloaded.class);
            expectNoPolicy(proxy);

            // when
            Tenants.applyAll(
                    proxy, PipelineUpdate.builder().unclaimed(PipelineSpec.of("transforms: [{name: allowlist}]")));

            // then
            expect(proxy, "127.0.0.1", "destination_not_allowed", "");
        }
    }

    private void expectNoPolicy(TestProxy proxy) throws Exception {
        try (Wire client = proxy.tunnel()) {
            Wire.Message answer = client.send(get()).message();
            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.body()).contains("policy_unavailable");
        }
        proxy.record();
    }

    @Test
    void aReloadChangesOneWorkloadAndTouchesNoOther() throws Exception {
        Path file = folder.resolve("proxy.yaml");
        TestProxy.Builder from = proxy("");
        String named = TWO.replace("[\"127.0.0.1\"]", "[localhost]");
        Files.writeString(file, from.yaml() + named);
        try (TestOrigin slow = TestOrigin.of(this::stream, this::stream);
                TestProxy proxy = from.start(file);
                Wire ci = Tenants.from("127.0.0.8", proxy.proxy().tunnelAddress());
                Wire roaming = Tenants.from("127.0.0.77", proxy.proxy().tunnelAddress())) {
            // given: a stream of each
            String host = "localhost:" + slow.port();
            String request = "GET http://" + host + "/ HTTP/1.1\r\nHost: " + host + "\r\n";
            ci.send(request + "\r\n").readHead();
            ci.readThrough("data: 1\n\n");
            roaming.send(request + Tenants.as("bob") + "\r\n\r\n").readHead();
            roaming.readThrough("data: 1\n\n");

            // when
            Files.writeString(file, from.yaml() + named.replaceFirst("localhost", "elsewhere.test"));
            assertThat(proxy.proxy().reload()).isInstanceOf(ReloadResult.Reloaded.class);

            // then
            assertThat(ci.readToEnd()).doesNotContain("0\r\n\r\n");
            JsonNode record = proxy.record();
            assertThat(record.at("/audit/workload").asText()).isEqualTo("ci");
            assertThat(record.at("/error").asText()).startsWith("policy_changed: the workload's policy refuses");
            done.countDown();
            assertThat(roaming.readThrough("0\r\n\r\n")).contains("data: 2");
            assertThat(proxy.record().at("/audit/action").asText()).isEqualTo("allow");
        }
    }

    private void stream(Wire peer) throws Exception {
        peer.readHead();
        peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
        peer.chunk("data: 1\n\n");
        done.await();
        peer.chunk("data: 2\n\n").send("0\r\n\r\n");
    }

    // The feed.

    private TestProxy fed() throws Exception {
        return TestProxy.builder(folder)
                .catalog(Tenants.catalog())
                .sections("transforms: []\n")
                .start();
    }

    private WorkloadSpec spec(String name, String host) {
        return Tenants.user(name)
                .pipeline(PipelineSpec.of("transforms: [{name: allowlist, config: {domains: ['" + host + "']}}]"))
                .build();
    }

    @Test
    void anUpdateAddsChangesAndRemoves() throws Exception {
        try (TestProxy proxy = fed()) {
            Tenants.applyAll(proxy, PipelineUpdate.builder().revision(1).upsert(spec("job", "elsewhere.test")));
            expect(proxy, "127.0.0.1", "destination_not_allowed", "job", Tenants.as("job"));

            Tenants.applyAll(proxy, PipelineUpdate.builder().revision(2).upsert(spec("job", "127.0.0.1")));
            expect(proxy, "127.0.0.1", "", "job", Tenants.as("job"));
            assertThat(proxy.proxy().workloads()).containsExactly("job");

            Tenants.applyAll(proxy, PipelineUpdate.builder().revision(3).remove("job"));
            assertThat(proxy.proxy().workloads()).isEmpty();
        }
    }

    @Test
    void aPartThatDoesNotBuildFailsClosedForThatWorkloadAlone() throws Exception {
        try (TestProxy proxy = fed()) {
            Applied applied = Tenants.apply(
                    proxy,
                    PipelineUpdate.builder()
                            .revision(7)
                            .upsert(spec("good", "127.0.0.1"))
                            .upsert(Tenants.user("bad")
                                    .pipeline(PipelineSpec.of("transforms: [{name: alowlist}]"))
                                    .build()));

            assertThat(applied.revision()).isEqualTo(7);
            assertThat(applied.problems()).containsOnlyKeys("bad");
            assertThat(applied.problems().get("bad").getFirst().pointer()).isEqualTo("/transforms/0/name");
            expect(proxy, "127.0.0.1", "", "good", Tenants.as("good"));
            try (Wire client = proxy.tunnel()) {
                Wire.Message answer = client.send(get(Tenants.as("bad"))).message();
                assertThat(answer.status()).isEqualTo(503);
                assertThat(answer.body()).contains("policy_unavailable");
            }
        }
    }

    @Test
    void theWholeReplacesEverythingThatCameBefore() throws Exception {
        try (TestProxy proxy = fed()) {
            Tenants.applyAll(
                    proxy,
                    PipelineUpdate.builder().upsert(spec("a", "127.0.0.1")).upsert(spec("b", "x.test")));
            Tenants.applyAll(proxy, PipelineUpdate.builder().whole().upsert(spec("b", "x.test")));
            assertThat(proxy.proxy().workloads()).containsExactly("b");
        }
    }

    @Test
    void untilItIsReadyEverybodyIsRefused() throws Exception {
        try (TestProxy proxy = fed()) {
            Tenants.applyAll(proxy, PipelineUpdate.builder().ready(false));
            assertThat(proxy.proxy().ready()).isFalse();
            try (Wire client = proxy.tunnel()) {
                Wire.Message answer = client.send(get()).message();
                assertThat(answer.status()).isEqualTo(503);
                assertThat(answer.body()).contains("not_ready");
            }
            Tenants.applyAll(proxy, PipelineUpdate.builder().ready(true));
            assertThat(proxy.proxy().ready()).isTrue();
            try (Wire client = proxy.tunnel()) {
                assertThat(client.send(get()).message().status()).isEqualTo(200);
            }
        }
    }

    @Test
    void callersOfNoWorkloadCanBeRefusedOrJudged() throws Exception {
        try (TestProxy proxy = fed()) {
            Tenants.applyAll(proxy, PipelineUpdate.builder().refuseUnclaimed());
            expect(proxy, "127.0.0.1", "unknown_workload", "");

            Tenants.applyAll(
                    proxy, PipelineUpdate.builder().unclaimed(PipelineSpec.of("transforms: [{name: allowlist}]")));
            expect(proxy, "127.0.0.1", "destination_not_allowed", "");

            Tenants.applyAll(proxy, PipelineUpdate.builder().unclaimedByFile());
            expect(proxy, "127.0.0.1", "", "");
        }
    }

    private static PipelineUpdate.Builder yielding(String transforms) {
        return PipelineUpdate.builder()
                .unclaimed(PipelineSpec.of("transforms: [" + transforms + "]").yielding("allowlist"));
    }

    /** Another gate of its name, further down, is somebody's own decision. */
    @Test
    void theFirstTransformOfADeliveredPipelineAloneYieldsToTheFiles() throws Exception {
        String open = "{name: allowlist, config: {domains: ['127.0.0.1']}}";
        String shut = "{name: allowlist, config: {domains: [elsewhere.test]}}";
        String other = "{name: secrets, config: {secrets: []}}";
        try (TestProxy proxy = proxy("transforms: [" + open + "]\n").start()) {
            Tenants.applyAll(proxy, yielding(shut));
            expect(proxy, "127.0.0.1", "", "");

            Tenants.applyAll(proxy, yielding(shut + ", " + open));
            expect(proxy, "127.0.0.1", "", "");

            Tenants.applyAll(proxy, yielding(shut + ", " + shut));
            expect(proxy, "127.0.0.1", "destination_not_allowed", "");

            Tenants.applyAll(proxy, yielding(other + ", " + shut));
            expect(proxy, "127.0.0.1", "destination_not_allowed", "");
        }
        try (TestProxy proxy = fed()) {
            Tenants.applyAll(proxy, yielding(shut));
            expect(proxy, "127.0.0.1", "destination_not_allowed", "");
        }
    }

    @Test
    void anUpdateOfOneWorkloadEndsItsStreamsAndTouchesNoOther() throws Exception {
        try (TestOrigin slow = TestOrigin.of(this::stream, this::stream);
                TestProxy proxy = fed();
                Wire one = proxy.tunnel();
                Wire other = proxy.tunnel()) {
            Tenants.applyAll(
                    proxy,
                    PipelineUpdate.builder().upsert(spec("one", "localhost")).upsert(spec("other", "localhost")));
            String host = "localhost:" + slow.port();
            String request = "GET http://" + host + "/ HTTP/1.1\r\nHost: " + host + "\r\n";
            one.send(request + Tenants.as("one") + "\r\n\r\n").readHead();
            one.readThrough("data: 1\n\n");
            other.send(request + Tenants.as("other") + "\r\n\r\n").readHead();
            other.readThrough("data: 1\n\n");

            Tenants.applyAll(proxy, PipelineUpdate.builder().upsert(spec("one", "elsewhere.test")));

            assertThat(one.readToEnd()).doesNotContain("0\r\n\r\n");
            assertThat(proxy.record().at("/audit/workload").asText()).isEqualTo("one");
            done.countDown();
            assertThat(other.readThrough("0\r\n\r\n")).contains("data: 2");
        }
    }

    // Secrets by global id.

    private TestOrigin keeping(List<String> seen) throws Exception {
        return TestOrigin.of(peer -> {
            while (true) {
                seen.add(Wire.field(peer.readHead(), "X-Key"));
                peer.send(TestOrigin.ok("ok"));
            }
        });
    }

    @Test
    void aDeliveredValueIsReplacedInPlaceAndNeverSentOnceDeleted() throws Exception {
        List<String> seen = new CopyOnWriteArrayList<>();
        try (TestOrigin keeper = keeping(seen);
                TestProxy proxy = fed();
                Wire client = proxy.tunnel()) {
            String request = "GET http://" + keeper.authority() + "/ HTTP/1.1\r\nHost: " + keeper.authority()
                    + "\r\nX-Key: " + Tenants.PLACEHOLDER + "\r\n" + Tenants.as("job") + "\r\n\r\n";
            PipelineUpdate.Builder first = PipelineUpdate.builder()
                    .upsert(Tenants.user("job")
                            .pipeline(Tenants.pipeline("job", "127.0.0.1"))
                            .build());
            Tenants.applyAll(proxy, Tenants.secret(first, "job"));
            assertThat(client.send(request).message().status()).isEqualTo(200);

            Tenants.applyAll(
                    proxy, PipelineUpdate.builder().secret("job", "2", SecretValue.of("the-second-value-of-it")));
            assertThat(client.send(request).message().status()).isEqualTo(200);

            Tenants.applyAll(proxy, PipelineUpdate.builder().removeSecret("job"));
            Wire.Message refused = client.send(request).message();
            assertThat(refused.status()).isEqualTo(403);
            assertThat(refused.body()).contains("secret_unavailable");
            assertThat(seen).containsExactly(Tenants.value("job"), "the-second-value-of-it");
        }
    }
}
