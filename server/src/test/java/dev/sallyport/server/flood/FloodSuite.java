package dev.sallyport.server.flood;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.server.cli.Sallyport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever is poured into it, and wherever, one place after the other into one process: it lives, answers others meanwhile,
 * records every exchange, and has nothing left of it afterwards.
 *
 * <p>Places that are alike share a class, and with it a victim: what one of them leaves behind cannot fail all others.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class FloodSuite {

    /** How many times over with {@code -Pfull}. */
    private static final int FULL = 10;

    /** Only the places whose names match: {@code -Dsallyport.flood='the query|a header'}. */
    private static final String ONLY = System.getProperty("sallyport.flood", "");

    /** For the proxy to be through with what was sent. */
    private static final Duration PATIENCE = Duration.ofSeconds(Integer.getInteger("sallyport.flood.patience", 120));

    /** Labels that a client chooses would make it grow with every flood. */
    private static final int MOST_METRICS = 1_000_000;

    private static final int ASKED_AFTERWARDS = 5;

    private final Map<Predicate<String>, Long> recorded = new HashMap<>();
    private Origin origin;
    private Origin nowhere;
    private Victim victim;
    private int clients = 10;

    /** The places of this class that the build fills. */
    abstract List<Flood> places();

    Stream<Flood> floods() {
        return wanted(places());
    }

    private static Stream<Flood> wanted(List<Flood> floods) {
        return floods.stream().filter(flood -> Pattern.matches(ONLY.isEmpty() ? ".*" : ONLY, flood.place()));
    }

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        origin = Origin.ofMany();
        nowhere = Origin.silent();
        victim = new Victim(folder, nowhere.port());
    }

    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("floods")
    void isWithstood(Flood flood) throws Exception {
        assertWithstood(flood, 1);
    }

    @Tag("long")
    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("floods")
    void isWithstoodTenTimesOver(Flood flood) throws Exception {
        assertWithstood(flood, FULL);
    }

    private void assertWithstood(Flood flood, int much) throws Exception {
        try (Attacker attacker = new Attacker(victim, origin.port(), nowhere.port(), address());
                Bystander bystander = new Bystander(victim.http(), attacker.host("open"), address())) {
            // when
            long exchanges = flood.attack().by(attacker, much);
            int before = bystander.asked();
            Awaitility.await("a bystander that is answered")
                    .atMost(PATIENCE)
                    .until(() -> bystander.asked() > before + ASKED_AFTERWARDS);
            attacker.close();

            // then
            assertThat(victim.lives()).as(victim.err()).isTrue();
            thenRecorded(attacker::owns, exchanges);
            bystander.close();
            assertThat(bystander.failures()).isEmpty();
            thenRecorded(bystander.address()::equals, bystander.asked());
            assertThat(victim.records(bystander.address()::equals)).containsOnlyKeys("allow 200");
            Awaitility.await("nothing is left of it")
                    .atMost(PATIENCE)
                    .until(() -> victim.metrics().contains("\nsallyport_body_buffered_bytes 0.0\n"));
            assertThat(victim.metrics().length()).as("what the metrics come to").isLessThan(MOST_METRICS);
        }
    }

    private void thenRecorded(Predicate<String> addresses, long exchanges) {
        Awaitility.await("the records of " + exchanges + " exchanges")
                .atMost(PATIENCE)
                .untilAsserted(() -> {
                    Map<String, Integer> records = victim.records(addresses);
                    assertThat(sum(records)).as(records.toString()).isEqualTo(exchanges);
                });
        recorded.put(addresses, exchanges);
    }

    /** Every exchange once, also after the end. */
    @AfterAll
    void end() throws Exception {
        try {
            Sallyport.Ended ended = victim.end();
            assertThat(ended.err()).doesNotContain("OutOfMemoryError", "closed by a fault", "LEAK:");
            assertThat(ended.code()).isZero();
            for (Map.Entry<Predicate<String>, Long> each : recorded.entrySet()) {
                assertThat(sum(victim.records(each.getKey()))).isEqualTo(each.getValue());
            }
        } finally {
            victim.close();
            origin.close();
            nowhere.close();
        }
    }

    /** One that nobody had before. */
    private String address() {
        clients++;
        return "127.0.0." + clients;
    }

    private static long sum(Map<String, Integer> records) {
        return records.values().stream().mapToInt(Integer::intValue).sum();
    }
}
