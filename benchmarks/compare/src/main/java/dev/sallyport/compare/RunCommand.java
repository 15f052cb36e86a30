package dev.sallyport.compare;

import dev.sallyport.compare.peer.Commands;
import dev.sallyport.compare.peer.Peer;
import dev.sallyport.compare.report.Report;
import dev.sallyport.compare.report.Results;
import dev.sallyport.compare.scenario.Catalogue;
import dev.sallyport.compare.scenario.Scenario;
import dev.sallyport.compare.scenario.Settings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures, and reports. */
@Command(
        name = "measure",
        description =
                "Measure scenarios with peers, in alternation. A run that was interrupted is taken up again by its name.",
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
final class RunCommand implements Callable<Integer> {

    @Option(names = "--scenarios", split = ",", description = "Which; all if not given.")
    List<String> scenarios = new ArrayList<>();

    @Option(names = "--without", split = ",", description = "Scenarios to leave out.")
    List<String> without = new ArrayList<>();

    @Option(names = "--peers", split = ",", description = "Which; all that are there if not given.")
    List<String> peers = new ArrayList<>();

    @Option(names = "--rounds", defaultValue = "5", description = "How many windows of each.")
    int rounds;

    @Option(
            names = "--run",
            description = "Name of the run, a folder under target/runs: latest, or quick with --quick.")
    String run = "";

    @Option(names = "--warm-up", defaultValue = "20", description = "Seconds of load before the first window.")
    int warmUp;

    @Option(names = "--window", defaultValue = "10", description = "Seconds in which is counted.")
    int window;

    @Option(names = "--connections", defaultValue = "32", description = "Connections of closed loops.")
    int connections;

    @Option(names = "--tunnels", defaultValue = "9000", description = "Connections that lie idle.")
    int tunnels;

    @Option(names = "--streams", defaultValue = "1000", description = "Streams of events.")
    int streams;

    @Option(names = "--transfer", defaultValue = "1073741824", description = "Bytes of a large body.")
    long transfer;

    @Option(names = "--idle", defaultValue = "60", description = "Seconds of rest before memory is read.")
    int idle;

    @Option(names = "--cold", defaultValue = "20", description = "Seconds for which a cold peer is watched.")
    int cold;

    @Option(names = "--soak", defaultValue = "30", description = "Minutes of the soak.")
    int soak;

    @Option(
            names = "--proxy-cores",
            description = "Processors for proxies, as taskset writes them; the second, if there are two.")
    String proxyCores = Cores.proxyDefault();

    @Option(names = "--load-cores", description = "Processors for origin and load; all others.")
    String loadCores = Cores.loadDefault();

    @Option(
            names = "--quick",
            description = "Short: to see that all works, not to measure. Overrules the numbers above.")
    boolean quick;

    private Settings settings() {
        return quick
                ? new Settings(
                        Math.min(rounds, 2),
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(2),
                        connections,
                        500,
                        100,
                        transfer,
                        Duration.ofSeconds(3),
                        6,
                        1)
                : new Settings(
                        rounds,
                        Duration.ofSeconds(warmUp),
                        Duration.ofSeconds(window),
                        connections,
                        tunnels,
                        streams,
                        transfer,
                        Duration.ofSeconds(idle),
                        cold,
                        soak);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Folders folders = Folders.find();
        Map<String, Peer> all = folders.peers();
        List<Peer> chosen = Folders.peers(all, peers);
        List<Scenario> wanted = Folders.scenarios(Catalogue.all(), scenarios).stream()
                .filter(scenario -> !without.contains(scenario.name()))
                .toList();
        String pinned = Cores.pin(loadCores, proxyCores);
        System.out.println(
                pinned.isEmpty() ? "proxies on " + proxyCores + ", load and origin on " + loadCores : pinned);
        Path folder = folders.run(!run.isEmpty() ? run : quick ? "quick" : "latest");
        Results results = new Results(folder);
        try (RetainedMemory memory = quick ? RetainedMemory.none() : RetainedMemory.take();
                Site site = new Site(folders.root(), folder, pinned.isEmpty() ? proxyCores : "")) {
            Facts.record(results, folders.root(), settings(), quick);
            List<Peer> present = present(site, chosen, results);
            results.fact("free memory", memory.told());
            results.fact("pinning", pinned.isEmpty() ? "proxy " + proxyCores + ", rest " + loadCores : pinned);
            Comparison comparison = new Comparison(
                    site.launcher(),
                    site.dialler(),
                    site.address(),
                    settings(),
                    results,
                    site.originIssuer(),
                    "",
                    System.out);
            for (Scenario scenario : wanted) {
                if (scenario.name().equals("first-seen") && !site.hasNames()) {
                    System.out.println("first-seen: left out: names need root and a free 127.53.0.1:53");
                    continue;
                }
                comparison.run(scenario, present);
            }
        }
        Path report = new Report(results, Catalogue.all(), folders.home().resolve("bars.txt")).write(folder);
        System.out.println("report: " + report);
        return 0;
    }

    private static List<Peer> present(Site site, List<Peer> chosen, Results results)
            throws IOException, InterruptedException {
        List<Peer> present = new ArrayList<>();
        for (Peer peer : chosen) {
            String missing = site.launcher().missing(peer);
            if (missing.isEmpty()) {
                present.add(peer);
                results.fact("version " + peer.name(), site.launcher().version(peer));
            } else {
                System.out.println(peer.name() + ": left out: " + missing);
                results.fact("version " + peer.name(), "left out: " + missing);
            }
        }
        for (String tool : List.of("wrk", "dnsperf", "taskset")) {
            if (Commands.find(tool) == null) {
                System.out.println(tool + " is not there: what needs it will fail");
            }
        }
        return present;
    }
}
