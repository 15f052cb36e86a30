package dev.sallyport.compare.peer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Reads the file of a peer, {@code NAME.peer}: lines {@code key: value}, then files to write, each below a line
 * {@code --- NAME}. What stands between two {@code @} is replaced when the peer starts: see {@link Template}.
 */
public final class PeerFile {

    private static final String SUFFIX = ".peer";
    private static final String FILE_LINE = "--- ";
    private static final List<String> KEYS =
            List.of("title", "needs", "install", "version", "can", "env", "prepare", "start");

    private final String name;
    private final Map<String, String> values = new LinkedHashMap<>();
    private final Map<String, String> environment = new LinkedHashMap<>();
    private final List<String> prepare = new ArrayList<>();
    private final Map<String, String> files = new LinkedHashMap<>();

    private PeerFile(String name) {
        this.name = name;
    }

    /** All peers of a folder, by name. */
    public static Map<String, Peer> folder(Path folder) throws IOException {
        Map<String, Peer> peers = new LinkedHashMap<>();
        try (Stream<Path> paths = Files.list(folder)) {
            for (Path path : paths.filter(path -> path.toString().endsWith(SUFFIX))
                    .sorted()
                    .toList()) {
                String file = path.getFileName().toString();
                String name = file.substring(0, file.length() - SUFFIX.length());
                peers.put(name, parse(name, Files.readString(path)));
            }
        }
        return peers;
    }

    /** @throws IllegalArgumentException with file, line and what was expected */
    public static Peer parse(String name, String text) {
        PeerFile file = new PeerFile(name);
        file.read(text);
        return file.peer();
    }

    private void read(String text) {
        String section = "";
        StringBuilder content = new StringBuilder();
        int number = 0;
        for (String line : text.lines().toList()) {
            number++;
            if (line.startsWith(FILE_LINE)) {
                keep(section, content);
                section = line.substring(FILE_LINE.length()).strip();
                content = new StringBuilder();
            } else if (!section.isEmpty()) {
                content.append(line).append('\n');
            } else if (!line.isBlank() && !line.startsWith("#")) {
                entry(number, line);
            }
        }
        keep(section, content);
    }

    private void keep(String section, StringBuilder content) {
        if (!section.isEmpty()) {
            files.put(section, content.toString());
        }
    }

    private void entry(int number, String line) {
        int colon = line.indexOf(':');
        String key = colon < 0 ? line : line.substring(0, colon).strip();
        if (colon < 0 || !KEYS.contains(key)) {
            throw problem(number, "unknown key \"" + key + "\" (expected: " + String.join(", ", KEYS) + ")");
        }
        String value = line.substring(colon + 1).strip();
        switch (key) {
            case "prepare" -> prepare.add(value);
            case "env" -> {
                int equals = value.indexOf('=');
                if (equals < 1) {
                    throw problem(number, "env: " + value + " (expected: NAME=value)");
                }
                environment.put(value.substring(0, equals), value.substring(equals + 1));
            }
            default -> {
                if (values.put(key, value) != null) {
                    throw problem(number, key + " is there twice");
                }
            }
        }
    }

    private Peer peer() {
        if (!values.containsKey("title") || !values.containsKey("can")) {
            throw problem(1, "title or can is missing");
        }
        return new Peer(
                name,
                value("title"),
                words(value("needs")),
                value("install"),
                value("version"),
                abilities(),
                environment,
                prepare,
                value("start"),
                files);
    }

    private Set<Ability> abilities() {
        Set<Ability> abilities = EnumSet.noneOf(Ability.class);
        for (String word : words(value("can"))) {
            abilities.add(Arrays.stream(Ability.values())
                    .filter(ability -> ability.word().equals(word.toLowerCase(Locale.ROOT)))
                    .findFirst()
                    .orElseThrow(() -> problem(1, "can: " + word + " (expected: " + Ability.words() + ")")));
        }
        return abilities;
    }

    private String value(String key) {
        return values.getOrDefault(key, "");
    }

    private static List<String> words(String value) {
        return Arrays.stream(value.split("[ ,]+", -1))
                .filter(word -> !word.isEmpty())
                .toList();
    }

    private IllegalArgumentException problem(int line, String what) {
        return new IllegalArgumentException(name + SUFFIX + ":" + line + ": " + what);
    }
}
