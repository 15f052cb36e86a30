package dev.sallyport.server.learn;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.nodes.CollectionNode;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;

/** Where the parts of a YAML document stand in its text. Lines and columns are counted from 0. Pure functions. */
final class YamlPlaces {

    private YamlPlaces() {}

    /** The entry of a mapping; null when it has no such key. */
    static @Nullable NodeTuple find(MappingNode mapping, String key) {
        for (NodeTuple tuple : mapping.getValue()) {
            if (tuple.getKeyNode() instanceof ScalarNode scalar
                    && scalar.getValue().equals(key)) {
                return tuple;
            }
        }
        return null;
    }

    /** Whether a collection stands on lines of its own, by indentation. */
    static boolean isBlock(Node node) {
        return node instanceof CollectionNode<?> collection
                && collection.getFlowStyle() == DumperOptions.FlowStyle.BLOCK;
    }

    /** Whether there is no value, which means the same as no key. */
    static boolean isNull(Node node) {
        return node instanceof ScalarNode scalar
                && scalar.isPlain()
                && List.of("", "~", "null", "Null", "NULL").contains(scalar.getValue());
    }

    static int firstLine(Node node) {
        return node.getStartMark().getLine();
    }

    static int column(Node node) {
        return node.getStartMark().getColumn();
    }

    /** The last line that holds something of a node. A block collection ends where its last value ends. */
    static int lastLine(Node node) {
        if (isBlock(node)) {
            if (node instanceof MappingNode mapping && !mapping.getValue().isEmpty()) {
                return lastLine(mapping.getValue().getLast().getValueNode());
            }
            if (node instanceof SequenceNode sequence && !sequence.getValue().isEmpty()) {
                return lastLine(sequence.getValue().getLast());
            }
        }
        int end = node.getEndMark().getLine();
        // A block scalar ends at the beginning of the line after it.
        boolean after = end > firstLine(node) && node.getEndMark().getColumn() == 0;
        return after ? end - 1 : end;
    }

    /** Whether something in a node stands elsewhere too, or is written elsewhere: an anchor or an alias. */
    static boolean isShared(Node node) {
        if (node.getAnchor() != null) {
            return true;
        }
        List<Node> parts = new ArrayList<>();
        if (node instanceof MappingNode mapping) {
            mapping.getValue().forEach(tuple -> {
                parts.add(tuple.getKeyNode());
                parts.add(tuple.getValueNode());
            });
        } else if (node instanceof SequenceNode sequence) {
            parts.addAll(sequence.getValue());
        }
        int at = node.getStartMark().getIndex();
        for (Node part : parts) {
            if (part.getStartMark().getIndex() < at || isShared(part)) {
                return true;
            }
            at = part.getStartMark().getIndex();
        }
        return false;
    }
}
