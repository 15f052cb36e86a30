package dev.sallyport.compare;

import dev.sallyport.compare.peer.Peer;
import dev.sallyport.compare.scenario.Catalogue;
import dev.sallyport.compare.scenario.Scenario;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;

/** Says what there is. */
@Command(name = "list", description = "Name all scenarios, and the peers of each.", mixinStandardHelpOptions = true)
final class ListCommand implements Callable<Integer> {

    @Override
    public Integer call() throws IOException {
        Map<String, Peer> peers = Folders.find().peers();
        peers.values().forEach(peer -> System.out.printf("%-16s %s%n", peer.name(), peer.title()));
        System.out.println();
        List<Scenario> scenarios = Catalogue.all();
        for (Scenario scenario : scenarios) {
            String able = peers.values().stream()
                    .filter(peer -> Comparison.able(peer, scenario))
                    .map(Peer::name)
                    .collect(Collectors.joining(", "));
            System.out.printf("%-16s %s%n%-16s %s%n", scenario.name(), scenario.title(), "", able);
        }
        return 0;
    }
}
