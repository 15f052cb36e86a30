package dev.sallyport.compare.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.compare.peer.Ability;
import dev.sallyport.compare.peer.Peer;
import dev.sallyport.compare.peer.PeerFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class CatalogueTest {

    private final List<Scenario> scenarios = Catalogue.all();

    @Test
    void everyNameIsThereOnce() {
        assertThat(scenarios).extracting(Scenario::name).doesNotHaveDuplicates();
    }

    @Test
    void peersWithPoliciesHaveThoseThatScenariosAskFor() throws IOException {
        for (Peer peer : PeerFile.folder(Path.of("peers")).values()) {
            if (peer.can().contains(Ability.POLICY)) {
                assertThat(scenarios)
                        .allSatisfy(scenario -> assertThat(peer.files()).containsKey(scenario.policy() + ".yaml"));
            }
        }
    }

    @Test
    void barsSpeakOfScenariosMetricsAndPeersThatExist() throws IOException {
        Map<String, Scenario> byName = scenarios.stream().collect(Collectors.toMap(Scenario::name, each -> each));
        Set<String> peers = new TreeSet<>(PeerFile.folder(Path.of("peers")).keySet());
        List<String> lines = Files.readAllLines(Path.of("bars.txt")).stream()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .toList();

        assertThat(lines).isNotEmpty().allSatisfy(line -> {
            String[] words = line.split(" ", -1);
            assertThat(byName).containsKey(words[0]);
            assertThat(byName.get(words[0]).metrics()).extracting(Metric::name).contains(words[1]);
            assertThat(peers).contains(words[2]);
            if (words.length > 5) {
                assertThat(words[4].endsWith(":") ? byName.keySet() : peers).contains(words[4].replace(":", ""));
            }
        });
    }

    @Test
    void warmingUpIsToldByTheSecondsInWhichSharesOfThePeakWereReached() {
        Map<String, Double> values =
                WarmUp.values(List.of(100.0, 400.0, 600.0, 850.0, 950.0, 1000.0, 1010.0, 990.0, 1000.0, 1000.0), 5);

        assertThat(values)
                .containsEntry("peak_per_second", 1000.0)
                .containsEntry("half_after_s", 3.0)
                .containsEntry("ninety_after_s", 5.0)
                .containsEntry("first_three_share", 0.6)
                .containsEntry("second_01", 100.0);
    }
}
