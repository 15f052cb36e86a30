package dev.sallyport.server.flood;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.server.cli.Sallyport;
import dev.sallyport.testsupport.TestDnsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
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
 * How long a bystander at another address waits, who asks for a small thing every 20 ms, while many connections have much
 * to do: prints a line of a table for each attack. What a turn may make is asserted elsewhere; how long it takes depends
 * on the machine (docs/performance.md).
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StandstillIT {

    private static final List<Integer> CONNECTIONS = List.of(1, 10, 40, 100);
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** The bystander asks so often while it is watched, four seconds long or more. */
    private static final int WATCHED = 160;

    /** Only the attacks whose names match: {@code -Dsallyport.flood='bodies of.*'}. */
    private static final String ONLY = System.getProperty("sallyport.flood", ".*");

    private Origin origin;
    private Origin quiet;
    private Origin nowhere;
    private TestDnsServer names;
    private Victim victim;
    private int clients = 10;

    static Stream<Flood> attacks() {
        return Standstills.all().stream().filter(attack -> attack.place().matches(ONLY));
    }

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        origin = Origin.ofMany();
        quiet = Origin.ofFew();
        nowhere = Origin.silent();
        names = Standstills.names();
        victim = new Victim(
                folder,
                nowhere.port(),
                ", upstream_resolver: \"127.0.0.1:" + names.address().getPort() + '"');
    }

    /** A short case of each: others are answered meanwhile, and turns are counted. */
    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("attacks")
    void othersAreAnsweredMeanwhile(Flood attack) throws Exception {
        long before = turns();
        watched(attack, 2, 10);
        assertThat(turns()).isGreaterThan(before);
    }

    @Tag("long")
    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("attacks")
    void othersAreAnsweredMeanwhileHoweverMany(Flood attack) throws Exception {
        StringBuilder row = new StringBuilder("| " + attack.place());
        for (int many : CONNECTIONS) {
            Waits waits = watched(attack, many, WATCHED);
            row.append(" | %d (%d)".formatted(waits.ofProxy(), waits.ofMachine()));
        }
        System.out.println(row.append(" |"));
    }

    /**
     * The longest waits of two bystanders, in milliseconds.
     *
     * @param ofProxy of who asks the proxy
     * @param ofMachine of who asks the origin itself: what the machine takes that all of them share
     */
    private record Waits(long ofProxy, long ofMachine) {}

    /** Of bystanders who ask so often. */
    private Waits watched(Flood attack, int connections, int asked) throws Exception {
        String host = "open.localhost:" + quiet.port();
        InetSocketAddress itself = new InetSocketAddress(InetAddress.getLoopbackAddress(), quiet.port());
        try (Attacker attacker = new Attacker(victim, origin.port(), nowhere.port(), address());
                Bystander direct = new Bystander(itself, host, address());
                Bystander bystander = new Bystander(victim.http(), host, address())) {
            awaitAsked(bystander, asked / 4);
            bystander.longestMillis();
            direct.longestMillis();
            attack.attack().by(attacker, connections);
            awaitAsked(bystander, asked);
            Waits waits = new Waits(bystander.longestMillis(), direct.longestMillis());
            attacker.close();
            bystander.close();
            direct.close();
            assertThat(bystander.failures()).isEmpty();
            return waits;
        }
    }

    private static void awaitAsked(Bystander bystander, int more) {
        int enough = bystander.asked() + more;
        Awaitility.await("answers for a bystander").atMost(PATIENCE).until(() -> bystander.asked() >= enough);
    }

    /** How many turns the metrics have counted; they have no series before the first. */
    private long turns() throws IOException {
        Matcher count = Pattern.compile("\nsallyport_loop_turn_duration_seconds_count (\\d+)")
                .matcher(victim.metrics());
        return count.find() ? Long.parseLong(count.group(1)) : 0;
    }

    @AfterAll
    void end() throws Exception {
        try {
            Sallyport.Ended ended = victim.end();
            assertThat(ended.err()).doesNotContain("OutOfMemoryError", "closed by a fault", "LEAK:");
        } finally {
            victim.close();
            origin.close();
            quiet.close();
            nowhere.close();
            names.close();
        }
    }

    private String address() {
        clients++;
        return "127.0.0." + clients;
    }
}
