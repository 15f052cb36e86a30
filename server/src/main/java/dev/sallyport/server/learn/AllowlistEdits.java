package dev.sallyport.server.learn;

import dev.sallyport.server.learn.AllowlistFile.Existing;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.SequenceNode;

/**
 * Edits the lines of an allowlist. What stays keeps its lines and comments where it stands in block style; a part in
 * brackets or braces is written anew.
 */
final class AllowlistEdits {

    private final AllowlistFile file;
    private final List<Existing> kept;
    private final List<LearnedRule> learned;
    private final Set<Node> keptNodes = new HashSet<>();
    private final List<LineEdit> edits = new ArrayList<>();

    AllowlistEdits(AllowlistFile file, List<Existing> kept, List<LearnedRule> learned) {
        this.file = file;
        this.kept = kept;
        this.learned = learned;
        kept.forEach(existing -> keptNodes.add(existing.node()));
    }

    List<LineEdit> make(@Nullable MappingNode root, @Nullable MappingNode allowlist) {
        boolean unchanged = learned.isEmpty() && kept.size() == file.entries().size();
        if (allowlist != null && unchanged) {
            return List.of();
        }
        NodeTuple transforms = root == null ? null : YamlPlaces.find(root, "transforms");
        if (transforms == null) {
            List<String> section = new ArrayList<>(file.lines().isEmpty() ? List.of() : List.of(""));
            section.add("transforms:");
            section.addAll(indented(2, PolicyYaml.entry(learned, false)));
            insert(file.lines().size(), section);
        } else if (!YamlPlaces.isBlock(transforms.getValueNode())) {
            replace(transforms, section(transforms.getValueNode(), allowlist));
        } else if (allowlist == null) {
            Node first = ((SequenceNode) transforms.getValueNode()).getValue().getFirst();
            int dash = YamlPlaces.column(transforms.getValueNode());
            insert(dashLine(first, dash), indented(dash, PolicyYaml.entry(learned, false)));
        } else {
            entry(allowlist, YamlPlaces.column(transforms.getValueNode()));
        }
        return edits;
    }

    /** The section with its entries on lines of their own; others stay as they are written. */
    private List<String> section(Node value, @Nullable MappingNode allowlist) {
        List<String> section = new ArrayList<>(List.of("transforms:"));
        if (allowlist == null) {
            section.addAll(indented(2, PolicyYaml.entry(learned, false)));
        }
        if (value instanceof SequenceNode sequence) {
            for (Node item : sequence.getValue()) {
                section.addAll(indented(
                        2,
                        item.equals(allowlist) ? PolicyYaml.entry(all(), file.warns()) : List.of("- " + source(item))));
            }
        }
        return section;
    }

    private void entry(MappingNode entry, int dash) {
        NodeTuple config = YamlPlaces.find(entry, "config");
        if (!YamlPlaces.isBlock(entry)) {
            replaceLines(
                    dashLine(entry, dash),
                    YamlPlaces.lastLine(entry),
                    indented(dash, PolicyYaml.entry(all(), file.warns())));
        } else if (config == null) {
            insert(
                    YamlPlaces.lastLine(entry) + 1,
                    indented(YamlPlaces.column(entry), PolicyYaml.config(all(), file.warns())));
        } else if (!YamlPlaces.isBlock(config.getValueNode())) {
            replace(config, PolicyYaml.config(all(), file.warns()));
        } else {
            MappingNode mapping = (MappingNode) config.getValueNode();
            List<String> more = new ArrayList<>();
            PolicyYaml.LISTS.forEach(list -> list(mapping, list, more));
            if (!more.isEmpty()) {
                insert(YamlPlaces.lastLine(mapping) + 1, indented(YamlPlaces.column(mapping), more));
            }
        }
    }

    /** Edits one list in place; {@code more} gets it when it is not there yet. */
    private void list(MappingNode config, String list, List<String> more) {
        List<LearnedRule> added = learned.stream()
                .filter(rule -> PolicyYaml.list(rule).equals(list))
                .toList();
        NodeTuple tuple = YamlPlaces.find(config, list);
        if (tuple == null) {
            more.addAll(PolicyYaml.key(list, added));
            return;
        }
        List<LearnedRule> stay = kept.stream()
                .filter(existing -> existing.list().equals(list))
                .map(existing -> LearnedRule.existing(existing.rule()))
                .toList();
        Node value = tuple.getValueNode();
        int before =
                value instanceof SequenceNode sequence ? sequence.getValue().size() : 0;
        if (added.isEmpty() && stay.size() == before) {
            return;
        }
        if (value instanceof SequenceNode sequence && YamlPlaces.isBlock(value) && stay.size() + added.size() > 0) {
            int dash = YamlPlaces.column(sequence);
            for (Node item : sequence.getValue()) {
                if (!keptNodes.contains(item)) {
                    replaceLines(dashLine(item, dash), YamlPlaces.lastLine(item), List.of());
                }
            }
            insert(YamlPlaces.lastLine(sequence) + 1, indented(dash, PolicyYaml.items(list, added)));
        } else {
            List<LearnedRule> all = new ArrayList<>(stay);
            all.addAll(added);
            replace(tuple, PolicyYaml.key(list, all).isEmpty() ? List.of(list + ": []") : PolicyYaml.key(list, all));
        }
    }

    private List<LearnedRule> all() {
        List<LearnedRule> all = new ArrayList<>();
        kept.forEach(existing -> all.add(LearnedRule.existing(existing.rule())));
        all.addAll(learned);
        return all;
    }

    /** Replaces a key and its value; the lines are as indented as the key. */
    private void replace(NodeTuple tuple, List<String> lines) {
        Node key = tuple.getKeyNode();
        replaceLines(
                YamlPlaces.firstLine(key),
                Math.max(YamlPlaces.firstLine(key), YamlPlaces.lastLine(tuple.getValueNode())),
                indented(YamlPlaces.column(key), lines));
    }

    private void replaceLines(int first, int last, List<String> lines) {
        edits.add(new LineEdit(first, last + 1, lines));
    }

    private void insert(int before, List<String> lines) {
        if (!lines.isEmpty()) {
            edits.add(new LineEdit(before, before, lines));
        }
    }

    /** The line of the dash of an item, which may stand before it. */
    private int dashLine(Node item, int dash) {
        int line = YamlPlaces.firstLine(item);
        while (line > 0 && !isDash(file.lines().get(line), dash)) {
            line--;
        }
        return line;
    }

    private static boolean isDash(String line, int column) {
        return line.length() > column
                && line.charAt(column) == '-'
                && line.substring(0, column).isBlank();
    }

    /** The text of a node in braces, on one line. */
    private String source(Node node) {
        StringBuilder text = new StringBuilder();
        for (int line = YamlPlaces.firstLine(node); line <= node.getEndMark().getLine(); line++) {
            String whole = file.lines().get(line);
            int from = line == YamlPlaces.firstLine(node) ? whole.offsetByCodePoints(0, YamlPlaces.column(node)) : 0;
            int to = line == node.getEndMark().getLine()
                    ? whole.offsetByCodePoints(0, node.getEndMark().getColumn())
                    : whole.length();
            text.append(text.isEmpty() ? "" : " ")
                    .append(whole.substring(from, to).strip());
        }
        return text.toString();
    }

    private static List<String> indented(int columns, List<String> lines) {
        return lines.stream()
                .map(line -> line.isEmpty() ? line : " ".repeat(columns) + line)
                .toList();
    }
}
