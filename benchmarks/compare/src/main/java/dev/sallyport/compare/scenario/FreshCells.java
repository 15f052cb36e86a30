package dev.sallyport.compare.scenario;

import dev.sallyport.compare.load.KeepAlive;
import dev.sallyport.compare.load.Probe;
import dev.sallyport.compare.load.Tally;
import dev.sallyport.compare.load.Tunnels;
import dev.sallyport.compare.peer.Ability;
import dev.sallyport.compare.peer.Running;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Cells that need a peer of their own. */
final class FreshCells {

    private static final String KIB = "/bytes/1024";
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int MEMORY_REQUESTS = 10_000;
    private static final int SETTLE_MILLIS = 2000;
    private static final int PEAK_WINDOWS = 5;
    private static final int SOAK_BASE_MINUTE = 5;

    private FreshCells() {}

    private static Running running(Bench bench) {
        return Objects.requireNonNull(bench.subject().running(), "needs a proxy");
    }

    private static KeepAlive load(Bench bench) {
        return new KeepAlive(
                bench.dialler(),
                bench.subject().secure(),
                bench.settings().connections(),
                KIB,
                "User-Agent: compare/1",
                "Accept: */*");
    }

    static Map<String, Double> start(Bench bench) throws IOException, InterruptedException {
        Subject subject = bench.subject();
        Map<String, Double> values = new LinkedHashMap<>();
        values.put("ready_ms", running(bench).readyMillis());
        values.put(
                "first_plain_ms",
                Probe.once(bench.dialler(), subject.plain(), PATIENCE).millis());
        if (subject.peer().can().contains(Ability.MITM)) {
            values.put(
                    "first_intercepted_ms",
                    Probe.once(bench.dialler(), subject.secure(), PATIENCE).millis());
        }
        values.put("cpu_ms", subject.cpuSeconds() * 1000);
        return values;
    }

    static Map<String, Double> warmUp(Bench bench) throws IOException, InterruptedException {
        try (KeepAlive load = load(bench)) {
            load.open();
            List<Tally> laps = load.laps(SECOND, bench.settings().warmUpSeconds());
            return WarmUp.values(laps.stream().map(Tally::rate).toList(), PEAK_WINDOWS);
        }
    }

    static Map<String, Double> memory(Bench bench) throws IOException, InterruptedException {
        Map<String, Double> values = new LinkedHashMap<>();
        values.put("rss_ready_mib", bench.subject().rssMib());
        long done = 0;
        try (KeepAlive load = load(bench)) {
            load.open();
            while (done < MEMORY_REQUESTS) {
                Tally tally = load.run(SECOND);
                if (tally.operations() == 0) {
                    throw new IOException("no request in a second: " + load.lastError());
                }
                done += tally.operations();
            }
            values.put("rss_after_mib", bench.subject().rssMib());
        }
        values.put("requests", (double) done);
        Thread.sleep(bench.settings().idle());
        values.put("rss_rested_mib", bench.subject().rssMib());
        return values;
    }

    static Map<String, Double> tunnels(Bench bench) throws IOException, InterruptedException {
        Subject subject = bench.subject();
        try (KeepAlive load = load(bench)) {
            load.open();
            load.run(bench.settings().warmUp());
        }
        Thread.sleep(SETTLE_MILLIS);
        double before = subject.rssMib();
        int wanted = bench.settings().tunnels();
        Map<String, Double> values = new LinkedHashMap<>();
        try (Tunnels tunnels = new Tunnels(bench.dialler(), subject.secure(), wanted)) {
            tunnels.open();
            Thread.sleep(SETTLE_MILLIS);
            double with = subject.rssMib();
            values.put("open", (double) wanted);
            values.put("rss_before_mib", before);
            values.put("rss_mib", with);
            values.put("kib_each", (with - before) * 1024 / wanted);
            Tally tally = tunnels.run(Duration.ofSeconds(3));
            values.put("answered", (double) tally.operations());
            values.put("errors", (double) tally.errors());
        }
        return values;
    }

    static Map<String, Double> soak(Bench bench) throws IOException, InterruptedException {
        Map<String, Double> values = new LinkedHashMap<>();
        int minutes = bench.settings().soakMinutes();
        double errors = 0;
        double requests = 0;
        double first = 0;
        double last = 0;
        try (KeepAlive load = load(bench)) {
            load.open();
            for (int minute = 1; minute <= minutes; minute++) {
                Tally tally = load.run(Duration.ofMinutes(1));
                errors += tally.errors();
                requests += tally.operations();
                last = bench.subject().rssMib();
                if (minute == 1 || minute == SOAK_BASE_MINUTE) {
                    first = last;
                }
                values.put(String.format("minute_%02d", minute), last);
                running(bench).truncateOutput();
            }
        }
        values.put("growth", last / first - 1);
        values.put("rss_last_mib", last);
        values.put("per_second", requests / minutes / 60);
        values.put("errors", errors);
        return values;
    }
}
