package dev.sallyport.ctl.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.ctl.problem.ExitCode;
import dev.sallyport.ctl.problem.Problem;
import dev.sallyport.ctl.text.Document;
import dev.sallyport.ctl.text.Documents;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Everything that the files of a command want. */
public final class Manifests {

    private static final String KIND = "kind";

    /** The fields of kinds that hold a value, without its sources. */
    private static final Map<ObjectKind, List<String>> FIELDS = Map.of(
            ObjectKind.SECRET,
            List.of("name", "env_var", "hosts", "comment", "allow_plaintext"),
            ObjectKind.ENVIRONMENT_VARIABLE,
            List.of("key", "value"));

    private static final List<String> ENDINGS = List.of(".yaml", ".yml", ".json");

    private final List<Manifest> all;

    private Manifests(List<Manifest> all) {
        this.all = List.copyOf(all);
    }

    /**
     * Reads files, the files of folders, and standard input for {@code -}. Blocks.
     *
     * @throws Problem with everything that is wrong and can be told without the control plane
     */
    public static Manifests read(List<String> sources, InputStream standardInput) throws Problem {
        List<Manifest> all = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        for (String source : sources) {
            for (String file : files(source)) {
                for (Document document : Documents.read(file, standardInput)) {
                    try {
                        all.add(manifest(document));
                    } catch (Problem problem) {
                        problems.add(problem.message());
                    }
                }
            }
        }
        twice(all, problems);
        if (problems.size() > 1) {
            throw new Problem(ExitCode.USAGE, problems.size() + " problems in the files", problems);
        }
        if (problems.size() == 1) {
            throw Problem.usage(problems.getFirst());
        }
        if (all.isEmpty()) {
            throw Problem.usage(String.join(", ", sources) + ": no objects (expected: some, each with a kind)");
        }
        return new Manifests(all);
    }

    List<Manifest> all() {
        return all;
    }

    private static List<String> files(String source) throws Problem {
        if (source.equals("-") || !Files.isDirectory(Path.of(source))) {
            return List.of(source);
        }
        try (Stream<Path> files = Files.list(Path.of(source))) {
            List<String> found = files.filter(file -> isManifest(file) && Files.isRegularFile(file))
                    .map(Path::toString)
                    .sorted()
                    .toList();
            if (found.isEmpty()) {
                throw Problem.usage(
                        source + ": no files in it (expected: some that end with " + String.join(", ", ENDINGS) + ")");
            }
            return found;
        } catch (IOException e) {
            throw Problem.usage(source + ": cannot be read (expected: a folder)");
        }
    }

    private static boolean isManifest(Path file) {
        String name = file.getFileName().toString().toLowerCase(Locale.ROOT);
        return !name.startsWith(".") && ENDINGS.stream().anyMatch(name::endsWith);
    }

    private static Manifest manifest(Document document) throws Problem {
        ObjectNode fields = document.content().deepCopy();
        JsonNode word = fields.remove(KIND);
        ObjectKind kind = word == null || !word.isTextual() ? null : ObjectKind.of(word.asText());
        if (kind == null) {
            throw Problem.usage(document.place(KIND) + ": " + (word == null ? "no kind" : "no such kind")
                    + " (expected: one of " + ObjectKind.words() + ")");
        }
        String name = "";
        if (!kind.isSingle()) {
            JsonNode given = fields.path(kind.nameField());
            if (!given.isTextual() || given.asText().isEmpty()) {
                throw Problem.usage(document.place(kind.nameField()) + ": " + kind.word() + " without "
                        + kind.nameField() + " (expected: a string, which tells it from others)");
            }
            name = given.asText();
        }
        ValueSource value = ValueSource.take(fields, document);
        checkValue(kind, fields, value, document);
        return new Manifest(kind, name, fields, value, document);
    }

    private static void checkValue(ObjectKind kind, ObjectNode fields, @Nullable ValueSource value, Document document)
            throws Problem {
        boolean secret = kind == ObjectKind.SECRET;
        boolean variable = kind == ObjectKind.ENVIRONMENT_VARIABLE;
        for (String field : secret ? List.of("secret", "value") : List.<String>of()) {
            if (fields.has(field)) {
                throw Problem.usage(document.place(field)
                        + ": the value of a secret in a file (expected: value_env or value_file)");
            }
        }
        refuseUnknown(kind, fields, document);
        if (secret && value == null) {
            throw Problem.usage(
                    document.place("") + ": " + kind.label(fields.path("name").asText())
                            + " without value_env and value_file (expected: one of them)");
        }
        if (variable && fields.has("value") == (value != null)) {
            throw Problem.usage(document.place("value") + ": "
                    + kind.label(fields.path("key").asText())
                    + (value == null ? " without a value" : " with two values")
                    + " (expected: one of value, value_env, value_file)");
        }
        if (value != null && !secret && !variable) {
            throw Problem.usage(document.place(value.field()) + ": " + value.field() + " for kind " + kind.word()
                    + " (expected: it for secrets and variables alone)");
        }
    }

    /** Before anything is compared and shown: a value may stand in a wrong field. */
    private static void refuseUnknown(ObjectKind kind, ObjectNode fields, Document document) throws Problem {
        List<String> known = FIELDS.get(kind);
        if (known == null) {
            return; // they hold no value, and the API tells
        }
        for (String field : names(fields)) {
            if (!known.contains(field)) {
                throw Problem.usage(
                        document.place(field) + ": unknown field (expected: " + String.join(", ", known) + ")");
            }
        }
    }

    private static List<String> names(ObjectNode fields) {
        List<String> names = new ArrayList<>();
        fields.fieldNames().forEachRemaining(names::add);
        return names;
    }

    private static void twice(List<Manifest> all, List<String> problems) {
        Map<String, Manifest> seen = new HashMap<>();
        for (Manifest manifest : all) {
            Manifest first = seen.putIfAbsent(manifest.label(), manifest);
            if (first != null) {
                problems.add(manifest.place() + ": " + manifest.label() + " is at " + first.place()
                        + " already (expected: each object once)");
            }
        }
    }
}
