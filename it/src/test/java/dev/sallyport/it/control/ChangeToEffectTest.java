package dev.sallyport.it.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.control.ControlFactory;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.feed.FeedFactory;
import dev.sallyport.it.TestProxy;
import dev.sallyport.testsupport.Ports;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.transforms.allowlist.AllowlistFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Many changes, each seen through the traffic of a proxy in the same process and of one elsewhere; how soon is logged. */
@Tag("long")
@Timeout(300)
class ChangeToEffectTest {

    private static final Logger LOG = LoggerFactory.getLogger(ChangeToEffectTest.class);
    private static final int CHANGES = 100;

    @TempDir
    Path folder;

    private static TestProxy start(Path folder, Map<String, String> environment, String section) throws Exception {
        Files.createDirectories(folder);
        return TestProxy.builder(folder)
                .catalog(PluginCatalog.of(
                        List.of(new AllowlistFactory()),
                        List.of(),
                        List.of(new ControlFactory(ControlApi.PASSWORDS), new FeedFactory())))
                .environment(environment)
                .sections(section)
                .start();
    }

    @Test
    void everyChangeIsSeenAtBoth() throws Exception {
        int port = Ports.unused();
        String address = "127.0.0.1:" + port;
        try (ExecutorService watchers = Executors.newVirtualThreadPerTaskExecutor();
                TestOrigin origin = TestOrigin.answering(TestOrigin.ok("there"));
                TestProxy embedded = start(
                        folder.resolve("a"),
                        Map.of(),
                        "control: {listen: \"" + address + "\", state_dir: " + folder.resolve("state") + "}\n")) {
            ControlApi api = ControlApi.signUp(port);
            JsonNode made = api.send("POST", "/v1/proxies", "{\"name\": \"p\"}", 201);
            String policy = api.create("/v1/policies/network", body(true));
            try (TestProxy remote = start(
                    folder.resolve("b"),
                    Map.of("CONTROL_TOKEN", made.at("/data/token").asText()),
                    "control_plane: {url: \"http://" + address + "\", token_env: CONTROL_TOKEN}\n")) {
                Map<String, TestProxy> proxies = Map.of("embedded", embedded, "remote", remote);
                Map<String, List<Long>> millis = Map.of("embedded", new ArrayList<>(), "remote", new ArrayList<>());
                for (TestProxy proxy : proxies.values()) {
                    until(proxy, origin, 200);
                }
                for (int i = 0; i < CHANGES; i++) {
                    boolean active = i % 2 == 1;
                    long begin = System.nanoTime();
                    Map<String, Future<Long>> seen = new HashMap<>();
                    proxies.forEach((name, proxy) ->
                            seen.put(name, watchers.submit(() -> until(proxy, origin, active ? 200 : 403))));
                    api.send("PUT", policy, body(active), 200);
                    for (Map.Entry<String, Future<Long>> watch : seen.entrySet()) {
                        millis.get(watch.getKey())
                                .add(TimeUnit.NANOSECONDS.toMillis(
                                        watch.getValue().get() - begin));
                    }
                }
                millis.forEach((name, list) -> {
                    Collections.sort(list);
                    LOG.info(
                            "{}: {} changes, from the call to the effect p50 {} ms, p99 {} ms, longest {} ms",
                            name,
                            list.size(),
                            list.get(CHANGES / 2),
                            list.get(CHANGES * 99 / 100 - 1),
                            list.getLast());
                });
                assertThat(millis.values()).allSatisfy(list -> assertThat(list).hasSize(CHANGES));
            }
        }
    }

    private static String body(boolean active) {
        return ControlApi.network("origin", "127.0.0.1").replace("{\"name\"", "{\"active\": " + active + ", \"name\"");
    }

    private static long until(TestProxy proxy, TestOrigin origin, int status) throws Exception {
        while (proxy.get(origin, "/").status() != status) {
            TimeUnit.MILLISECONDS.sleep(2);
        }
        return System.nanoTime();
    }
}
