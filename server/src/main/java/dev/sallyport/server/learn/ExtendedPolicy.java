package dev.sallyport.server.learn;

import dev.sallyport.server.Failure;
import dev.sallyport.spi.Rule;
import java.util.ArrayList;
import java.util.List;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.SequenceNode;

/** Adds to the text of a configuration; what stands in it stays as it is. Pure functions. */
public final class ExtendedPolicy {

    private ExtendedPolicy() {}

    /**
     * Lets more through: the rules are added to the allowlist, or to a new one where there is none.
     *
     * @param name of the configuration, for messages
     * @throws Failure when the text is written in a form that is not edited
     */
    public static String allowing(String name, String text, List<Rule> rules) throws Failure {
        if (rules.isEmpty()) {
            return text;
        }
        AllowlistFile file = AllowlistFile.parse(name, text);
        return file.edited(file.edits(
                file.entries(), rules.stream().map(LearnedRule::existing).toList()));
    }

    /**
     * Adds a transform after the others.
     *
     * @param entry of the list {@code transforms}, in one line
     */
    public static String with(String name, String text, String entry) throws Failure {
        Node root = YamlTree.compose(name, text);
        NodeTuple transforms = root instanceof MappingNode top ? YamlPlaces.find(top, "transforms") : null;
        List<String> lines = new ArrayList<>(text.lines().toList());
        if (transforms == null) {
            lines.add("transforms:");
            lines.add("  - " + entry);
        } else if (transforms.getValueNode() instanceof SequenceNode sequence
                && YamlPlaces.isBlock(sequence)
                && !sequence.getValue().isEmpty()) {
            String indent = " ".repeat(YamlPlaces.column(sequence));
            lines.add(YamlPlaces.lastLine(sequence) + 1, indent + "- " + entry);
        } else {
            throw new Failure(name + ":" + (YamlPlaces.firstLine(transforms.getKeyNode()) + 1)
                    + ": transforms in brackets (expected: a list in block style, to add to it)");
        }
        return String.join("\n", lines) + "\n";
    }
}
