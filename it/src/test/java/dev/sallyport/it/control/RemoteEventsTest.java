package dev.sallyport.it.control;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.core.StartException;
import dev.sallyport.it.TestProxy;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * docs/spec/decisions.md, section 16, "Audit": events of a proxy elsewhere wait on its disk while the control plane is away,
 * and are there exactly once.
 */
@Timeout(600)
class RemoteEventsTest {

    @TempDir
    Path folder;

    private TestOrigin origin;
    private ControlSite site;
    private ControlApi api;
    private ControlSite.Made made;
    private TestProxy proxy;

    @BeforeEach
    void begin() throws Exception {
        origin = TestOrigin.handling(request -> TestOrigin.ok("hello"));
        site = new ControlSite(folder.resolve("control"));
        api = site.signUp();
        made = ControlSite.proxy(api, "p");
    }

    private void start(String... lines) throws Exception {
        proxy = TestProxy.builder(Files.createDirectories(folder.resolve("proxy")))
                .catalog(ControlSite.catalog())
                .environment(Map.of(ControlSite.TOKEN, made.token()))
                .proxyLines("upstream_deny_cidrs: []", "upstream: {idle_timeout: 5s}") // the origin waits for 20 s
                .sections(site.section(lines))
                .start();
        await().atMost(Patience.usual()).until(() -> proxy.proxy().ready());
    }

    private String cache() {
        return "cache_dir: " + folder.resolve("proxy/cache");
    }

    private void allow() throws Exception {
        allow("{\"cidr\": \"127.0.0.0/8\"}");
    }

    private void allow(String rule) throws Exception {
        api.send("POST", "/v1/egress/rules?wait=applied&timeout=20s", rule, 201);
        assertThat(api.applied()).isEqualTo("true");
    }

    @AfterEach
    void end() throws IOException {
        if (proxy != null) {
            proxy.close();
        }
        site.close();
        origin.close();
    }

    private static ConditionFactory soon() {
        return await().pollInterval(Duration.ofMillis(50)).atMost(Patience.seconds(60));
    }

    private static long count(ControlApi of) throws Exception {
        long count = 0;
        String cursor = "";
        while (true) {
            JsonNode page = of.send("GET", "/v1/audit/egress?limit=500" + cursor, "", 200);
            count += page.path("data").size();
            if (!page.path("has_more").asBoolean()) {
                return count;
            }
            cursor = "&cursor=" + page.path("cursor").asText();
        }
    }

    /** Counting takes a request for 500 events, of which a key has 100 a second. */
    private void untilThereAre(long events) {
        soon().pollInterval(Duration.ofMillis(50 + events / 10))
                .atMost(Duration.ofMinutes(3))
                .untilAsserted(() -> assertThat(count(api)).isEqualTo(events));
    }

    /** Sends requests from several clients until there were so many; returns those that were answered. */
    private int traffic(int requests) throws Exception {
        AtomicInteger left = new AtomicInteger(requests);
        AtomicInteger answered = new AtomicInteger();
        ConcurrentLinkedQueue<Throwable> faults = new ConcurrentLinkedQueue<>();
        List<Thread> clients = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            clients.add(Thread.ofVirtual().start(() -> {
                try (Wire client = proxy.http()) {
                    while (left.getAndDecrement() > 0) {
                        assertThat(client.get("/", origin.authority()).status()).isEqualTo(200);
                        answered.incrementAndGet();
                    }
                } catch (IOException | RuntimeException | Error e) {
                    faults.add(e);
                }
            }));
        }
        for (Thread client : clients) {
            client.join();
        }
        assertThat(faults).isEmpty();
        return answered.get();
    }

    /**
     * The control plane is killed, as by kill -9, so that some of what it has committed is not acknowledged.
     *
     * @param pause ms between bursts: a start takes seconds, in which clients without one send ten thousands of requests
     */
    private void underFire(int requests, int restarts, int pause) throws Exception {
        site.close();
        site = ControlSite.inAProcess(folder.resolve("killed"));
        api = site.signUp();
        made = ControlSite.proxy(api, "p");
        start(cache());
        allow();
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger done = new AtomicInteger();
        Thread restarting = Thread.ofPlatform().start(() -> {
            try {
                while (!over.get() && done.get() < restarts) {
                    site.stop();
                    TimeUnit.MILLISECONDS.sleep(200);
                    site.start();
                    done.incrementAndGet();
                    TimeUnit.MILLISECONDS.sleep(300);
                }
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });

        int answered = 0;
        while (done.get() < restarts && restarting.isAlive()) {
            answered += traffic(requests / 10);
            TimeUnit.MILLISECONDS.sleep(pause);
        }
        answered += traffic(Math.max(8, requests - answered));
        over.set(true);
        restarting.join();

        assertThat(done).hasValue(restarts);
        assertThat(answered).isGreaterThanOrEqualTo(requests);
        untilThereAre(answered);
    }

    @Tag("long")
    @Test
    void eachExchangeIsThereOnceAlthoughTheControlPlaneIsKilledAndComesBack() throws Exception {
        underFire(500, 1, 100);
    }

    @Test
    @Tag("long")
    void oneHundredThousandExchangesAndTenKills() throws Exception {
        underFire(100_000, 10, 0);
    }

    @Test
    void whileTheControlPlaneIsAwayEventsWaitAlsoAcrossARestartOfTheProxy() throws Exception {
        start(cache());
        allow();
        site.stop();
        assertThat(traffic(100)).isEqualTo(100);
        proxy.close();
        proxy = TestProxy.builder(folder.resolve("proxy"))
                .catalog(ControlSite.catalog())
                .environment(Map.of(ControlSite.TOKEN, made.token()))
                .sections(site.section(cache()))
                .start();
        assertThat(traffic(50)).isEqualTo(50);

        site.start();

        untilThereAre(150);
    }

    @Test
    void withoutAFolderWhatWaitsIsDeliveredOnceWhileTheProxyLives() throws Exception {
        start();
        allow();
        site.stop();
        assertThat(traffic(100)).isEqualTo(100);

        site.start();

        untilThereAre(100);
    }

    /** A spool that is full stops reading new requests; what is under way, and its refusal, is still recorded. */
    @Test
    @Tag("long")
    void aFullSpoolStopsNewRequestsRecordsRefusalsOfWhatIsUnderWayAndRecovers() throws Exception {
        start(cache(), "spool_bytes: 1MiB");
        allow("{\"host\": \"localhost\"}"); // a range would let SSH pass
        String authority = "localhost:" + origin.port();
        try (Wire tunnel = proxy.tunnel()) {
            tunnel.send(head("CONNECT " + authority + " HTTP/1.1", "Host: x"));
            assertThat(tunnel.readHead()).startsWith("HTTP/1.1 200 ");
            site.stop();
            TimeUnit.MILLISECONDS.sleep(1500);
            assertThat(proxy.proxy().ready())
                    .as("the policies hold while the control plane is away")
                    .isTrue();

            // when: nothing is delivered
            AtomicInteger answered = new AtomicInteger();
            AtomicBoolean stopped = new AtomicBoolean();
            ConcurrentLinkedQueue<Throwable> faults = new ConcurrentLinkedQueue<>();
            List<Thread> clients = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                clients.add(Thread.ofVirtual().start(() -> {
                    try (Wire client = proxy.http()) {
                        while (!stopped.get()) {
                            client.get("/", authority);
                            answered.incrementAndGet();
                        }
                    } catch (IOException | RuntimeException | Error e) {
                        faults.add(e);
                    }
                }));
            }

            // then: it stops, and is not ready, for the spool alone
            soon().until(() -> !proxy.proxy().ready());
            int settled = -1;
            while (settled != answered.get()) {
                settled = answered.get();
                TimeUnit.MILLISECONDS.sleep(500);
            }
            assertThat(settled).isBetween(1000, 100_000);
            stopped.set(true);

            // when: what has begun is refused, while it is full
            tunnel.send("SSH-2.0-OpenSSH_9.2\r\n");
            tunnel.readToEnd();
            assertThat(proxy.proxy().ready()).isFalse();
            assertThat(answered).hasValue(settled);

            // then: all of that is there, once, and requests are taken again
            site.start();
            soon().until(() -> proxy.proxy().ready());
            for (Thread client : clients) {
                client.join();
            }
            assertThat(faults).isEmpty();
            untilThereAre(answered.get() + 1);
            JsonNode refused =
                    api.send("GET", "/v1/audit/egress?allowed=false", "", 200).path("data");
            assertThat(refused).hasSize(1);
            assertThat(refused.at("/0/host").asText()).isEqualTo("localhost");
            assertThat(refused.at("/0/protocol").asText()).isEqualTo("tcp");
        }
    }

    /** Without a policy everything is refused, and nothing of it counts as allowed. */
    @Test
    void whatIsRefusedWhileNoPolicyIsInForceIsDenied() throws Exception {
        site.stop();
        proxy = TestProxy.builder(Files.createDirectories(folder.resolve("proxy")))
                .catalog(ControlSite.catalog())
                .environment(Map.of(ControlSite.TOKEN, made.token()))
                .sections(site.section(cache()))
                .start();
        assertThat(proxy.proxy().ready()).isFalse();
        assertThat(proxy.get(origin, "/").status()).isEqualTo(503);
        try (Wire tunnel = proxy.tunnel()) {
            tunnel.send(head("CONNECT 127.0.0.1:" + origin.port() + " HTTP/1.1", "Host: x"));
            assertThat(tunnel.readHead()).startsWith("HTTP/1.1 503 ");
        }

        site.start();

        untilThereAre(2);
        for (JsonNode event : api.send("GET", "/v1/audit/egress", "", 200).path("data")) {
            assertThat(event.path("verdict").asText()).as(event.toString()).isEqualTo("denied");
            assertThat(event.path("allowed").asBoolean()).as(event.toString()).isFalse();
        }
    }

    /** Organizations see what their proxies saw, and nothing else. */
    @Test
    void organizationsSeeTheirOwnEventsAlone() throws Exception {
        ControlApi other = site.signUp();
        start(cache());
        allow();
        assertThat(traffic(20)).isEqualTo(20);

        untilThereAre(20);
        assertThat(count(other)).isZero();
    }

    /** Another proxy's events are not delivered with this one's token. */
    @Test
    void aFolderWithEventsOfAnotherProxyIsRefused() throws Exception {
        start(cache());
        allow();
        site.stop();
        traffic(10);
        proxy.close();
        site.start();
        ControlSite.Made second = ControlSite.proxy(api, "second");

        TestProxy.Builder other = TestProxy.builder(folder.resolve("proxy"))
                .catalog(ControlSite.catalog())
                .environment(Map.of(ControlSite.TOKEN, second.token()))
                .sections(site.section(cache()));

        assertThatThrownBy(other::start)
                .isInstanceOf(StartException.class)
                .hasMessageContaining("/control_plane/cache_dir")
                .hasMessageContaining("events of another proxy");
    }
}
