package dev.sallyport.compare;

import dev.sallyport.compare.load.Dialler;
import dev.sallyport.compare.load.Load;
import dev.sallyport.compare.load.NewConnections;
import dev.sallyport.compare.load.Probe;
import dev.sallyport.compare.load.Route;
import dev.sallyport.compare.peer.Ability;
import dev.sallyport.compare.peer.Launcher;
import dev.sallyport.compare.peer.Peer;
import dev.sallyport.compare.report.Results;
import dev.sallyport.compare.report.Sample;
import dev.sallyport.compare.scenario.Bench;
import dev.sallyport.compare.scenario.Measures;
import dev.sallyport.compare.scenario.Scenario;
import dev.sallyport.compare.scenario.Settings;
import dev.sallyport.compare.scenario.Subject;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Runs scenarios with peers. What fails is written down as such, and the rest goes on. */
final class Comparison {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int PROBES = 100;
    private static final int SETTLING = 4;
    private static final Duration RAMP = Duration.ofMillis(300);

    private final Launcher launcher;
    private final Dialler dialler;
    private final Subject.Site site;
    private final Settings settings;
    private final Results results;
    private final String originIssuer;
    private final String jvm;
    private final PrintStream out;
    private boolean warm;

    /**
     * @param originIssuer who issued the origin's certificate: a peer that shows it has not intercepted
     * @param jvm more options for the JVM of peers that understand them
     */
    Comparison(
            Launcher launcher,
            Dialler dialler,
            Subject.Site site,
            Settings settings,
            Results results,
            String originIssuer,
            String jvm,
            PrintStream out) {
        this.launcher = launcher;
        this.dialler = dialler;
        this.site = site;
        this.settings = settings;
        this.results = results;
        this.originIssuer = originIssuer;
        this.jvm = jvm;
        this.out = out;
    }

    /** Runs one scenario with those of the peers that can, as far as it has not been run before. */
    void run(Scenario scenario, List<Peer> peers) throws IOException, InterruptedException {
        List<Peer> able = peers.stream().filter(peer -> able(peer, scenario)).toList();
        switch (scenario) {
            case Scenario.Steady steady -> alternate(steady, able);
            case Scenario.Start start -> afresh(start, able);
        }
    }

    static boolean able(Peer peer, Scenario scenario) {
        if (scenario.needs().isEmpty()) {
            return peer.direct();
        }
        return peer.can().containsAll(scenario.needs()) && !(peer.direct() && scenario instanceof Scenario.Start);
    }

    private void alternate(Scenario.Steady scenario, List<Peer> peers) throws IOException, InterruptedException {
        Map<String, Subject> subjects = new LinkedHashMap<>();
        try {
            for (Peer peer : peers) {
                if (open(scenario, peer).isEmpty()) {
                    continue;
                }
                try {
                    Subject subject = start(scenario, peer);
                    subjects.put(peer.name(), subject);
                    probe(scenario, subject);
                    warmUp(scenario, subject);
                } catch (IOException | RuntimeException e) {
                    failed(scenario, peer, open(scenario, peer).getFirst(), e);
                    Subject subject = subjects.remove(peer.name());
                    if (subject != null) {
                        subject.close();
                    }
                }
            }
            try (Awake awake = scenario.awake() ? Awake.keep() : Awake.off()) {
                if (scenario.awake()) {
                    results.fact("processors in " + scenario.name(), awake.told());
                }
                rounds(scenario, subjects);
            }
        } finally {
            for (Subject subject : subjects.values()) {
                subject.close();
            }
        }
    }

    private void rounds(Scenario.Steady scenario, Map<String, Subject> subjects)
            throws IOException, InterruptedException {
        for (int round = 1; round <= settings.rounds(); round++) {
            List<Subject> order = new ArrayList<>(subjects.values());
            Collections.rotate(order, -(round - 1));
            for (Subject subject : order) {
                if (!results.has(scenario.name(), subject.peer().name(), round)) {
                    window(scenario, subject, round);
                }
            }
        }
    }

    /** The rounds that are still to be measured. */
    private List<Integer> open(Scenario scenario, Peer peer) {
        List<Integer> rounds = new ArrayList<>();
        for (int round = 1; round <= settings.rounds(); round++) {
            if (!results.has(scenario.name(), peer.name(), round)) {
                rounds.add(round);
            }
        }
        return rounds;
    }

    private Subject start(Scenario scenario, Peer peer) throws IOException, InterruptedException {
        String policy = peer.can().contains(Ability.POLICY) ? scenario.policy() : Scenario.OPEN;
        boolean pinned = !(scenario instanceof Scenario.Start start) || start.pinned();
        return new Subject(peer, peer.direct() ? null : launcher.start(peer, policy, jvm, pinned), site);
    }

    /** One request, which must be intercepted where the scenario says so. */
    private void probe(Scenario scenario, Subject subject) throws IOException, InterruptedException {
        boolean secure = !scenario.needs().contains(Ability.HTTP);
        Probe.Finding finding = Probe.once(dialler, secure ? subject.secure() : subject.plain(), PATIENCE);
        if (secure && !subject.peer().direct()) {
            if (finding.issuer().equals(originIssuer)) {
                throw new IOException("it did not intercept: the certificate is the origin's own");
            }
            results.fact("tls " + subject.peer().name(), finding.tls());
        }
    }

    /**
     * Where a peer is warmed up with another load than what is measured, it gets used to that for longer: at a few requests a
     * second compilers take their time.
     */
    private void warmUp(Scenario.Steady scenario, Subject subject) throws IOException, InterruptedException {
        warmUp(scenario.warmUp(), subject, settings.warmUp());
        if (!scenario.loads().equals(scenario.warmUp())) {
            warmUp(scenario.loads(), subject, settings.warmUp().multipliedBy(SETTLING));
        }
    }

    private void warmUp(Scenario.Loads loads, Subject subject, Duration time) throws IOException, InterruptedException {
        try (Load load = loads.make(dialler, subject, settings)) {
            load.open();
            load.run(time);
        }
    }

    private void window(Scenario.Steady scenario, Subject subject, int round) throws IOException, InterruptedException {
        Peer peer = subject.peer();
        try (Load load = scenario.loads().make(dialler, subject, settings)) {
            load.open();
            load.run(RAMP);
            Map<String, Double> values = Measures.window(subject, load, settings.window());
            boolean errors = values.getOrDefault("errors", 0.0) > 0;
            double reconnects = values.getOrDefault("reconnects", 0.0);
            String failure = errors
                    ? "errors, the last: " + load.lastError()
                    : reconnects > 0 ? "kept connections that were found closed: " + Math.round(reconnects) : "";
            if (values.getOrDefault("per_second", 0.0) == 0 && values.getOrDefault("gb_per_second", 0.0) == 0) {
                throw new IOException("nothing was completed in the window; last error: " + load.lastError());
            }
            add(new Sample(scenario.name(), peer.name(), round, values, failure), scenario);
        } catch (IOException | RuntimeException e) {
            failed(scenario, peer, round, e);
        }
        if (subject.running() != null) {
            subject.running().truncateOutput();
        }
    }

    /**
     * The load is compiled code before the first start is timed: it would otherwise be its own first request that is
     * measured. Peers that cannot be warmed up with fail when they are measured, and say why.
     */
    private void warmLoad(Scenario.Start scenario, List<Peer> peers) throws InterruptedException {
        for (Peer peer : peers) {
            try (Subject subject = start(scenario, peer)) {
                List<Route> ways = new ArrayList<>();
                if (peer.can().contains(Ability.HTTP)) {
                    ways.add(subject.plain());
                }
                if (peer.can().contains(Ability.MITM)) {
                    ways.add(subject.secure());
                }
                for (Route way : ways) {
                    try (Load load = new NewConnections(dialler, way, () -> site.host(), 1, "/bytes/64")) {
                        load.open();
                        load.run(settings.warmUp().dividedBy(ways.size()));
                    }
                    for (int i = 0; i < PROBES; i++) {
                        Probe.once(dialler, way, PATIENCE);
                    }
                }
                warm = true;
                return;
            } catch (IOException | RuntimeException e) {
                out.println("the load was not warmed up with " + peer.name() + ": " + e);
            }
        }
    }

    private void afresh(Scenario.Start scenario, List<Peer> peers) throws IOException, InterruptedException {
        if (!warm && peers.stream().anyMatch(peer -> !open(scenario, peer).isEmpty())) {
            warmLoad(scenario, peers);
        }
        for (int round = 1; round <= settings.rounds(); round++) {
            for (Peer peer : peers) {
                if (results.has(scenario.name(), peer.name(), round)) {
                    continue;
                }
                try (Subject subject = start(scenario, peer)) {
                    Map<String, Double> values = scenario.cell().measure(new Bench(subject, dialler, settings));
                    add(new Sample(scenario.name(), peer.name(), round, values, ""), scenario);
                } catch (IOException | RuntimeException e) {
                    failed(scenario, peer, round, e);
                }
            }
        }
    }

    private void add(Sample sample, Scenario scenario) throws IOException {
        results.add(sample);
        StringBuilder line = new StringBuilder();
        scenario.metrics().forEach(metric -> {
            Double value = sample.values().get(metric.name());
            if (value != null) {
                line.append(String.format(Locale.ROOT, "  %s %,.4g", metric.title(), value));
            }
        });
        out.printf(
                "%-16s %-12s round %d %s %s%n",
                sample.scenario(), sample.peer(), sample.round(), line, sample.failure());
    }

    private void failed(Scenario scenario, Peer peer, int round, Exception cause) throws IOException {
        String reason = cause instanceof IOException ? String.valueOf(cause.getMessage()) : cause.toString();
        results.add(new Sample(scenario.name(), peer.name(), round, Map.of(), reason));
        out.printf("%-16s %-12s round %d FAILED: %s%n", scenario.name(), peer.name(), round, reason);
    }
}
