package dev.sallyport.server.learn;

import dev.sallyport.server.Failure;
import dev.sallyport.spi.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;

/**
 * The text of a configuration, with the place of its allowlist. The configuration must have been checked before. Not
 * thread-safe.
 */
final class AllowlistFile {

    private final String name;
    private final List<String> lines;
    private final boolean ended;
    private final boolean windows;
    private final @Nullable MappingNode root;
    private final @Nullable MappingNode allowlist;

    /**
     * An entry of the allowlist.
     *
     * @param list the key that it stands under, one of {@link PolicyYaml#LISTS}
     * @param node where it stands
     */
    record Existing(Rule rule, String list, Node node) {

        /** Its line, counted from 1. */
        int line() {
            return YamlPlaces.firstLine(node) + 1;
        }

        /** Whether it is for every host there is. */
        boolean anyHost() {
            return "*".equals(rule.host());
        }
    }

    private AllowlistFile(String name, String text, @Nullable MappingNode root) throws Failure {
        this.name = name;
        this.ended = text.endsWith("\n");
        this.lines = new ArrayList<>(List.of(text.split("\n", -1)));
        if (lines.getLast().isEmpty()) {
            lines.removeLast();
        }
        this.windows = !lines.isEmpty() && lines.getFirst().endsWith("\r");
        this.root = root;
        this.allowlist = root == null ? null : findAllowlist(root);
    }

    /**
     * Finds the allowlist.
     *
     * @throws Failure when the file has several, or is written in a form that is not edited here
     */
    static AllowlistFile parse(String name, String text) throws Failure {
        Node node = YamlTree.compose(name, text);
        if (node != null && !(node instanceof MappingNode && YamlPlaces.isBlock(node))) {
            throw new Failure(name + ": is written in braces (expected: YAML in block style, to make a diff of it)");
        }
        return new AllowlistFile(name, text, (MappingNode) node);
    }

    private @Nullable MappingNode findAllowlist(MappingNode top) throws Failure {
        MappingNode found = null;
        NodeTuple transforms = YamlPlaces.find(top, "transforms");
        if (transforms != null && YamlPlaces.isShared(transforms.getValueNode())) {
            throw new Failure(name + ":" + (YamlPlaces.firstLine(transforms.getKeyNode()) + 1)
                    + ": transforms with anchors or aliases (expected: everything written out, to make a diff of it)");
        }
        if (transforms != null && transforms.getValueNode() instanceof SequenceNode sequence) {
            for (Node item : sequence.getValue()) {
                if (item instanceof MappingNode entry && "allowlist".equals(scalar(entry, "name"))) {
                    if (found != null) {
                        throw new Failure(name + ": has allowlists at lines " + (YamlPlaces.firstLine(found) + 1)
                                + " and " + (YamlPlaces.firstLine(entry) + 1)
                                + " (expected: one, which the rules are to belong to)");
                    }
                    found = entry;
                }
            }
        }
        return found;
    }

    /** Whether there is an allowlist. */
    boolean hasAllowlist() {
        return allowlist != null;
    }

    /** The line of the allowlist, counted from 1; 0 when there is none. */
    int line() {
        return allowlist == null ? 0 : YamlPlaces.firstLine(allowlist) + 1;
    }

    /** Whether the allowlist only warns. */
    boolean warns() {
        MappingNode config = config();
        return config != null && flag(config, "warn");
    }

    /** The entries of the allowlist, in its order. */
    List<Existing> entries() {
        List<Existing> entries = new ArrayList<>();
        MappingNode config = config();
        if (config != null) {
            for (String list : PolicyYaml.LISTS) {
                for (Node item : items(config, list)) {
                    entries.add(new Existing(rule(list, item), list, item));
                }
            }
        }
        return entries;
    }

    private static Rule rule(String list, Node item) {
        if (item instanceof MappingNode mapping) {
            String scheme = scalar(mapping, "scheme");
            return Rule.builder()
                    .host(scalar(mapping, "host"))
                    .cidr(scalar(mapping, "cidr"))
                    .methods(texts(mapping, "methods"))
                    .paths(texts(mapping, "paths"))
                    .ports(texts(mapping, "ports").stream()
                            .map(Integer::valueOf)
                            .toList())
                    .scheme(scheme == null ? null : Rule.Scheme.valueOf(scheme.toUpperCase(Locale.ROOT)))
                    .exact(flag(mapping, "exact"))
                    .keepOverrides(flag(mapping, "keep_overrides"))
                    .upgrade(texts(mapping, "upgrade"))
                    .build();
        }
        String text = item instanceof ScalarNode scalar ? scalar.getValue() : "";
        return list.equals("cidrs") ? Rule.cidr(text) : Rule.host(text);
    }

    private static List<String> texts(MappingNode mapping, String key) {
        return items(mapping, key).stream()
                .map(node -> node instanceof ScalarNode scalar ? scalar.getValue() : "")
                .toList();
    }

    private static List<Node> items(MappingNode mapping, String key) {
        NodeTuple tuple = YamlPlaces.find(mapping, key);
        return tuple != null && tuple.getValueNode() instanceof SequenceNode sequence ? sequence.getValue() : List.of();
    }

    private static @Nullable String scalar(MappingNode mapping, String key) {
        NodeTuple tuple = YamlPlaces.find(mapping, key);
        return tuple != null && tuple.getValueNode() instanceof ScalarNode scalar && !YamlPlaces.isNull(scalar)
                ? scalar.getValue()
                : null;
    }

    private static boolean flag(MappingNode mapping, String key) {
        return "true".equalsIgnoreCase(scalar(mapping, key));
    }

    private @Nullable MappingNode config() {
        NodeTuple tuple = allowlist == null ? null : YamlPlaces.find(allowlist, "config");
        return tuple != null && tuple.getValueNode() instanceof MappingNode config ? config : null;
    }

    /**
     * What makes the allowlist say exactly {@code kept} and {@code learned}.
     *
     * @param kept some of {@link #entries}
     */
    List<LineEdit> edits(List<Existing> kept, List<LearnedRule> learned) {
        AllowlistEdits edits = new AllowlistEdits(this, kept, learned);
        List<LineEdit> made = edits.make(root, allowlist);
        return windows
                ? made.stream()
                        .map(edit -> new LineEdit(
                                edit.from(),
                                edit.to(),
                                edit.lines().stream().map(line -> line + "\r").toList()))
                        .toList()
                : made;
    }

    /** The text after some edits. */
    String edited(List<LineEdit> edits) {
        return String.join("\n", LineEdit.apply(lines, edits)) + "\n";
    }

    /** The edits as {@code diff -u} writes them; no lines when nothing changes. */
    List<String> diff(List<LineEdit> edits) {
        return UnifiedDiff.of(name, lines, ended, edits);
    }

    List<String> lines() {
        return lines;
    }
}
