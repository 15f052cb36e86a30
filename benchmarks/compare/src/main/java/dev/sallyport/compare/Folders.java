package dev.sallyport.compare;

import dev.sallyport.compare.peer.Peer;
import dev.sallyport.compare.peer.PeerFile;
import dev.sallyport.compare.scenario.Scenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Where things are in the checkout, and what is chosen of them by name. */
record Folders(Path root) {

    /** The checkout that this program was built in; {@code compare.root} says where. */
    static Folders find() throws IOException {
        Path root =
                Path.of(System.getProperty("compare.root", "")).toAbsolutePath().normalize();
        if (!Files.isDirectory(root.resolve("benchmarks/compare/peers"))) {
            throw new IOException(root + ": no benchmarks/compare/peers in it (expected: -Dcompare.root=CHECKOUT)");
        }
        return new Folders(root);
    }

    Path home() {
        return root.resolve("benchmarks/compare");
    }

    Path run(String name) {
        return home().resolve("target/runs").resolve(name);
    }

    Map<String, Peer> peers() throws IOException {
        return PeerFile.folder(home().resolve("peers"));
    }

    /** Those of the names, in their order; all for an empty list. */
    static List<Peer> peers(Map<String, Peer> all, List<String> names) {
        List<Peer> chosen = new ArrayList<>();
        for (String name : names.isEmpty() ? all.keySet() : names) {
            Peer peer = all.get(name);
            if (peer == null) {
                throw new IllegalArgumentException(
                        name + ": no such peer (expected: " + String.join(", ", all.keySet()) + ")");
            }
            chosen.add(peer);
        }
        return chosen;
    }

    static List<Scenario> scenarios(List<Scenario> all, List<String> names) {
        for (String name : names) {
            if (all.stream().noneMatch(scenario -> scenario.name().equals(name))) {
                throw new IllegalArgumentException(name + ": no such scenario (expected: "
                        + String.join(", ", all.stream().map(Scenario::name).toList()) + ")");
            }
        }
        return all.stream()
                .filter(scenario -> names.isEmpty() || names.contains(scenario.name()))
                .toList();
    }
}
