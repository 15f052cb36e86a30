package dev.sallyport.server.run;

import dev.sallyport.server.Failure;
import dev.sallyport.server.learn.YamlTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;

/**
 * A configuration from which a run begins. What is wrong with its fields is reported when the proxy loads it.
 *
 * @param text in YAML
 * @param ports that its rules name
 * @param variables of the environment that it reads secrets from: the program must not have them
 */
record PolicyFile(Path path, String text, Set<Integer> ports, Set<String> variables) {

    private static final String MANAGEMENT_KEY = "PROXY_MANAGEMENT_API_KEY";

    /** What sources and transforms read unless the file names another variable, by a part of their type. */
    private static final Map<String, List<String>> DEFAULTS = Map.of(
            "vault", List.of("VAULT_SERVICE_ACCOUNT_TOKEN", "VAULT_CONNECT_TOKEN", "OP_SERVICE_ACCOUNT_TOKEN"),
            "1password",
                    List.of(
                            "VAULT_SERVICE_ACCOUNT_TOKEN",
                            "VAULT_CONNECT_TOKEN",
                            "OP_SERVICE_ACCOUNT_TOKEN",
                            "OP_CONNECT_TOKEN"),
            "aws_", List.of("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"),
            "cloud_", List.of("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"),
            "sigv4", List.of("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"));

    PolicyFile {
        ports = Set.copyOf(ports);
        variables = Set.copyOf(variables);
    }

    /**
     * Reads it.
     *
     * @param path null for none
     * @throws Failure when it cannot be read: without the variables in it, the program would have them
     */
    static @Nullable PolicyFile read(@Nullable Path path) throws Failure {
        if (path == null) {
            return null;
        }
        String text;
        try {
            text = Files.readString(path);
        } catch (NoSuchFileException e) {
            throw new Failure(path + ": no such file (expected: a YAML file)");
        } catch (IOException e) {
            throw new Failure(path + ": cannot be read: " + e.getMessage() + " (expected: a YAML file)");
        }
        Search search = new Search();
        search.node(YamlTree.compose(path.toString(), text), "");
        return new PolicyFile(path, text, search.ports, search.variables);
    }

    private static final class Search {

        private final Set<Integer> ports = new TreeSet<>();
        private final Set<String> variables = new TreeSet<>(Set.of(MANAGEMENT_KEY));
        private final Set<Node> seen = Collections.newSetFromMap(new IdentityHashMap<>());

        /** @param key of the node, or of the list that it is in */
        private void node(@Nullable Node node, String key) {
            if (node instanceof ScalarNode scalar) {
                scalar(key, scalar.getValue());
            } else if (node instanceof SequenceNode sequence && seen.add(node)) {
                sequence.getValue().forEach(item -> node(item, key));
            } else if (node instanceof MappingNode mapping && seen.add(node)) {
                for (NodeTuple tuple : mapping.getValue()) {
                    node(tuple.getValueNode(), tuple.getKeyNode() instanceof ScalarNode name ? name.getValue() : "");
                }
            }
        }

        private void scalar(String key, String value) {
            if (key.equals("ports") && value.matches("[1-9]\\d{0,4}")) {
                ports.add(Integer.valueOf(value));
            } else if (key.equals("var") || key.endsWith("_env")) {
                variables.add(value);
            } else if (key.equals("type") || key.equals("name")) {
                DEFAULTS.forEach((part, names) -> {
                    if (value.contains(part)) {
                        variables.addAll(names);
                    }
                });
            }
        }
    }
}
