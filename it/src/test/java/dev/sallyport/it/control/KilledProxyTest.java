package dev.sallyport.it.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * docs/control-plane.md, "The record of requests": what is lost when a proxy is killed is what was under way, and what its
 * writer had not written; nothing is there twice.
 */
@Timeout(600)
class KilledProxyTest {

    /** The slots of the proxy: the most records that are not written at any moment. */
    private static final int SLOTS = 64;

    private static final int CLIENTS = 8;

    @TempDir
    Path folder;

    private final AtomicInteger hosts = new AtomicInteger();
    private final Set<String> answered = ConcurrentHashMap.newKeySet();
    private final Set<String> sent = ConcurrentHashMap.newKeySet();
    private final Set<Throwable> ends = ConcurrentHashMap.newKeySet();
    private TestOrigin origin;
    private ControlSite site;
    private ControlApi api;
    private ProxyProcess proxy;

    @BeforeEach
    void begin() throws Exception {
        origin = TestOrigin.handling(request -> TestOrigin.ok("hello"));
        site = new ControlSite(folder.resolve("control"));
        api = site.signUp();
        ControlSite.Made made = ControlSite.proxy(api, "p");
        proxy = new ProxyProcess(
                folder.resolve("proxy"),
                made.token(),
                "log: {audit: {slots: " + SLOTS + "}}\n"
                        + site.section(
                                "spool_dir: " + folder.resolve("proxy/spool"),
                                "cache_dir: " + folder.resolve("proxy/cache")));
        api.send("POST", "/v1/egress/rules?wait=applied&timeout=20s", "{\"cidr\": \"127.0.0.0/8\"}", 201);
        assertThat(api.applied()).isEqualTo("true");
    }

    @AfterEach
    void end() throws Exception {
        proxy.close();
        site.close();
        origin.close();
    }

    /** Each request goes to an address of its own, so that its event can be told from others. */
    private String host() {
        int number = hosts.incrementAndGet();
        return "127." + (1 + (number >> 14)) + "." + (number >> 7 & 127) + "." + (1 + (number & 127));
    }

    private Thread client() {
        return Thread.ofVirtual().start(() -> {
            try (Wire client = Wire.to(proxy.address())) {
                while (true) {
                    String host = host();
                    sent.add(host);
                    client.get("/", host + ":" + origin.port());
                    answered.add(host);
                }
            } catch (IOException | RuntimeException | Error e) {
                ends.add(e); // the proxy was killed
            }
        });
    }

    private List<String> events() throws Exception {
        List<String> all = new ArrayList<>();
        String cursor = "";
        while (true) {
            JsonNode page = api.send("GET", "/v1/audit/egress?limit=500" + cursor, "", 200);
            all.addAll(page.path("data").findValuesAsText("host"));
            if (!page.path("has_more").asBoolean()) {
                return all;
            }
            cursor = "&cursor=" + page.path("cursor").asText();
        }
    }

    private void killed(int times, boolean away) throws Exception {
        answered.clear();
        ends.clear();
        for (int i = 0; i < times; i++) {
            if (away) {
                site.stop();
            }
            List<Thread> clients = new ArrayList<>();
            for (int c = 0; c < CLIENTS; c++) {
                clients.add(client());
            }
            int before = answered.size();
            await().pollInterval(Duration.ofMillis(10))
                    .atMost(Patience.seconds(60))
                    .until(() -> answered.size() > before + 100);
            proxy.kill();
            for (Thread client : clients) {
                client.join();
            }
            proxy.start();
            if (away) {
                site.start();
            }
        }
        String last = host();
        sent.add(last);
        try (Wire client = Wire.to(proxy.address())) {
            client.get("/", last + ":" + origin.port());
        }
        await().pollInterval(Duration.ofMillis(100))
                .atMost(Duration.ofMinutes(2))
                .until(() -> events().contains(last));

        List<String> events = events();
        assertThat(ends).as("each client noticed").hasSize(times * CLIENTS);
        assertThat(events).doesNotHaveDuplicates();
        Set<String> lost = new HashSet<>(answered);
        lost.removeAll(events);
        assertThat(answered).hasSizeGreaterThan(100 * times);
        assertThat(lost).as("answered, and not recorded").hasSizeLessThanOrEqualTo(times * SLOTS);
        Set<String> invented = new HashSet<>(events);
        invented.removeAll(sent);
        assertThat(invented).isEmpty();
    }

    @Test
    @Tag("long")
    void aProxyThatIsKilledLosesWhatItHadNotWrittenAndNothingElse() throws Exception {
        killed(2, false);
    }

    @Test
    @Tag("long")
    void itIsTheSameWhileTheControlPlaneIsAway() throws Exception {
        killed(1, true);
    }

    @Test
    @Tag("long")
    void tenTimes() throws Exception {
        killed(10, false);
        killed(5, true);
    }
}
