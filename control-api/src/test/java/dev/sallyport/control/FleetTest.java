package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Many proxies at a control plane in a process of its own. Nothing is lost; how long it took is logged. */
@Tag("long")
@Timeout(900)
class FleetTest {

    private static final Logger LOG = LoggerFactory.getLogger(FleetTest.class);
    private static final String NETWORK = "/v1/policies/network";
    private static final Duration PATIENCE = Duration.ofMinutes(4);

    @TempDir
    Path folder;

    private ControlProcess control() throws Exception {
        return new ControlProcess(folder, TestControl.NO_LIMITS + Database.yaml());
    }

    private static List<String> proxies(Api api, int count) {
        List<String> tokens = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            tokens.add(api.post("/v1/proxies", "{\"name\": \"p" + i + "\"}")
                    .data()
                    .path("token")
                    .asText());
        }
        return tokens;
    }

    /** Makes a policy with one rule. */
    private static void change(Api api, String name) {
        Api.Reply made = api.post(
                NETWORK,
                "{\"name\": \"" + name + "\", \"priority\": 1, \"rules\": [{\"host\": \"" + name + ".test\"}]}");
        assertThat(made.status()).as(made.text()).isEqualTo(201);
    }

    /** Makes policies, of which there are so many already; returns when the change to each number of them began. */
    private static Map<Integer, Long> changes(Api api, int present, int count) throws InterruptedException {
        Map<Integer, Long> begun = new LinkedHashMap<>();
        for (int i = present + 1; i <= present + count; i++) {
            begun.put(i, System.nanoTime());
            change(api, "p" + i);
            TimeUnit.MILLISECONDS.sleep(100);
        }
        return begun;
    }

    private static void report(String what, Fleet fleet, Map<Integer, Long> begun) {
        List<Long> millis = new ArrayList<>();
        begun.forEach((rules, began) -> fleet.members()
                .forEach(member -> millis.add(TimeUnit.NANOSECONDS.toMillis(member.receipt(rules) - began))));
        Collections.sort(millis);
        LOG.info(
                "{}: {} changes at {} proxies, from the call to the snapshot: p50 {} ms, p99 {} ms, longest {} ms",
                what,
                begun.size(),
                fleet.members().size(),
                millis.get(millis.size() / 2),
                millis.get(millis.size() * 99 / 100),
                millis.getLast());
    }

    private static void assertAllHave(Fleet fleet, int policies) {
        assertThat(fleet.members())
                .allSatisfy(member -> assertThat(member.rules()).isEqualTo(policies));
    }

    /** 500 proxies, 100 changes: none lost, after kill -9 and a restart neither. */
    @Test
    void everyChangeReachesEveryProxyAlsoAfterTheControlPlaneWasKilled() throws Exception {
        try (ControlProcess control = control()) {
            Api api = control.newAccount();
            try (Fleet fleet = new Fleet(control.address(), proxies(api, 500))) {
                change(api, "first");
                fleet.awaitRules(1, PATIENCE);
                Map<Integer, Long> begun = changes(api, 1, 100);
                fleet.awaitRules(101, PATIENCE);
                report("connected", fleet, begun);

                // when: it is killed right after a change
                change(api, "killed");
                control.kill();
                long away = System.nanoTime();
                control.start();

                // then
                fleet.awaitRules(102, PATIENCE);
                LOG.info(
                        "all {} have it {} ms after the kill",
                        fleet.members().size(),
                        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - away));
                Map<Integer, Long> more = changes(api, 102, 100);
                fleet.awaitRules(202, PATIENCE);
                report("after the restart", fleet, more);
                assertAllHave(fleet, 202);
                LOG.info("at most {} MiB resident", control.peakMebibytes());
            }
        }
    }

    /** 5,000 proxies come back at once: each is served, in memory that is bounded. */
    @Test
    void allProxiesAreServedThatComeBackAtOnce() throws Exception {
        try (ControlProcess control = control()) {
            List<String> tokens = new ArrayList<>();
            List<Api> accounts = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                Api api = control.newAccount();
                accounts.add(api);
                change(api, "first");
                tokens.addAll(proxies(api, 1000));
            }
            try (Fleet fleet = new Fleet(control.address(), tokens)) {
                long began = System.nanoTime();
                fleet.awaitGreetings(new int[tokens.size()], PATIENCE);
                log("connected", fleet, began, control);

                // when
                int[] before = fleet.greetings();
                control.kill();
                began = System.nanoTime();
                control.start();

                // then
                fleet.awaitGreetings(before, PATIENCE);
                log("back after a kill", fleet, began, control);
                for (Api api : accounts) {
                    change(api, "second");
                }
                began = System.nanoTime();
                for (Fleet.Member member : fleet.members()) {
                    while (member.rules() < 2) {
                        TimeUnit.MILLISECONDS.sleep(5);
                    }
                }
                log("a change of each account is at all of them", fleet, began, control);
            }
        }
    }

    private static void log(String what, Fleet fleet, long began, ControlProcess control) throws Exception {
        LOG.info(
                "{} proxies {} within {} ms; told to come later {} times so far; at most {} MiB resident",
                fleet.members().size(),
                what,
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began),
                fleet.refused(),
                control.peakMebibytes());
    }
}
