package dev.sallyport.compare;

import dev.sallyport.compare.peer.Ability;
import dev.sallyport.compare.peer.Peer;
import dev.sallyport.compare.report.Flame;
import dev.sallyport.compare.report.Results;
import dev.sallyport.compare.scenario.Catalogue;
import dev.sallyport.compare.scenario.Scenario;
import dev.sallyport.compare.scenario.Settings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Says where the microseconds of a request go. */
@Command(
        name = "profile",
        description =
                "Run one scenario with a peer on the JVM under Flight Recorder, and say where its processor time went.",
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
final class ProfileCommand implements Callable<Integer> {

    @Parameters(index = "0", defaultValue = "mitm-policy", description = "The scenario.")
    String scenario = "mitm-policy";

    @Option(names = "--peer", defaultValue = "sallyport", description = "Who; its file must pass @jvm@ to its JVM.")
    String peer = "sallyport";

    @Option(names = "--seconds", defaultValue = "20", description = "How long, after a warm-up of as long.")
    int seconds;

    @Option(names = "--connections", defaultValue = "32", description = "Connections of closed loops.")
    int connections;

    @Option(names = "--proxy-cores", description = "Processors for the proxy.")
    String proxyCores = Cores.proxyDefault();

    @Option(names = "--load-cores", description = "Processors for origin and load.")
    String loadCores = Cores.loadDefault();

    @Override
    public Integer call() throws IOException, InterruptedException {
        Folders folders = Folders.find();
        List<Peer> peers = Folders.peers(folders.peers(), List.of(peer));
        Scenario chosen = Folders.scenarios(Catalogue.all(), List.of(scenario)).getFirst();
        if (!peers.getFirst().can().contains(Ability.POLICY)) {
            System.out.println(peer + ": make sure that its file passes @jvm@ on");
        }
        String pinned = Cores.pin(loadCores, proxyCores);
        Path folder = folders.run("profile-" + System.currentTimeMillis());
        Results results = new Results(folder);
        Path recording = folder.resolve("recording.jfr");
        Duration time = Duration.ofSeconds(seconds);
        Settings settings =
                new Settings(1, time, time, connections, 1000, 100, 1L << 30, Duration.ofSeconds(1), seconds, 1);
        try (RetainedMemory memory = RetainedMemory.take();
                Site site = new Site(folders.root(), folder, pinned.isEmpty() ? proxyCores : "")) {
            System.out.println("free memory: " + memory.told());
            new Comparison(
                            site.launcher(),
                            site.dialler(),
                            site.address(),
                            settings,
                            results,
                            site.originIssuer(),
                            Flame.options(recording, settings.warmUp()),
                            System.out)
                    .run(chosen, peers);
        }
        System.out.println(Flame.summary(recording));
        return 0;
    }
}
