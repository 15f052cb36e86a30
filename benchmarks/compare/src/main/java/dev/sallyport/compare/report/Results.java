package dev.sallyport.compare.report;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/** The samples of a run, in a file to which each is appended when it is there, so that a run can be taken up again. */
public final class Results {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path folder;
    private final List<Sample> samples = new ArrayList<>();
    private final Map<String, String> facts = new LinkedHashMap<>();

    /** Opens the results in a folder; there may be none yet. */
    public Results(Path folder) throws IOException {
        this.folder = Files.createDirectories(folder);
        if (Files.exists(samplesFile())) {
            for (String line : Files.readAllLines(samplesFile())) {
                remember(JSON.readValue(line, Sample.class));
            }
        }
        if (Files.exists(factsFile())) {
            facts.putAll(JSON.readValue(factsFile().toFile(), new TypeReference<Map<String, String>>() {}));
        }
    }

    private Path samplesFile() {
        return folder.resolve("samples.jsonl");
    }

    private Path factsFile() {
        return folder.resolve("facts.json");
    }

    public Path folder() {
        return folder;
    }

    public List<Sample> samples() {
        return List.copyOf(samples);
    }

    /** About the machine, the tools and the peers. */
    public Map<String, String> facts() {
        return Map.copyOf(facts);
    }

    /** What failed before and was tried again is forgotten; the file keeps it. */
    private void remember(Sample sample) {
        samples.removeIf(earlier -> earlier.values().isEmpty()
                && earlier.scenario().equals(sample.scenario())
                && earlier.peer().equals(sample.peer())
                && earlier.round() == sample.round());
        samples.add(sample);
    }

    public void add(Sample sample) throws IOException {
        remember(sample);
        Files.writeString(
                samplesFile(),
                JSON.writeValueAsString(sample) + "\n",
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }

    public void fact(String name, String value) throws IOException {
        facts.put(name, value);
        JSON.writer(SerializationFeature.INDENT_OUTPUT).writeValue(factsFile().toFile(), facts);
    }

    /** Whether this was measured already; what failed is not. */
    public boolean has(String scenario, String peer, int round) {
        return samples.stream()
                .anyMatch(sample -> sample.scenario().equals(scenario)
                        && sample.peer().equals(peer)
                        && sample.round() == round
                        && !sample.values().isEmpty());
    }

    /** The samples of one cell that have values, in the order of their rounds. */
    List<Sample> cell(String scenario, String peer) {
        return samples.stream()
                .filter(sample -> sample.scenario().equals(scenario)
                        && sample.peer().equals(peer)
                        && !sample.values().isEmpty())
                .sorted(java.util.Comparator.comparingInt(Sample::round))
                .toList();
    }

    /** The last failure of a cell, empty if there was none. */
    String failure(String scenario, String peer) {
        return samples.stream()
                .filter(sample -> sample.scenario().equals(scenario)
                        && sample.peer().equals(peer)
                        && !sample.failure().isEmpty())
                .reduce((first, second) -> second)
                .map(Sample::failure)
                .orElse("");
    }

    /** Who took part in a scenario, in the order of the first samples. */
    List<String> peers(String scenario) {
        LinkedHashSet<String> peers = new LinkedHashSet<>();
        samples.stream()
                .filter(sample -> sample.scenario().equals(scenario))
                .forEach(sample -> peers.add(sample.peer()));
        return List.copyOf(peers);
    }
}
