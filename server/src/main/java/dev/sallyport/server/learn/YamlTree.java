package dev.sallyport.server.learn;

import dev.sallyport.server.Failure;
import java.io.StringReader;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.Node;

/**
 * The nodes of a configuration. The limits are those of its loader: what the loader accepts is read here too. Pure
 * functions.
 */
public final class YamlTree {

    private static final int MAX_CHARACTERS = 16 << 20;
    private static final int MAX_DEPTH = 64;

    private YamlTree() {}

    /**
     * Reads a document.
     *
     * @param name of the configuration, for messages
     * @return null for an empty document
     * @throws Failure when it cannot be read; the message has nothing of the text
     */
    public static @Nullable Node compose(String name, String text) throws Failure {
        LoaderOptions options = new LoaderOptions();
        options.setCodePointLimit(MAX_CHARACTERS);
        options.setMaxAliasesForCollections(Integer.MAX_VALUE);
        options.setNestingDepthLimit(MAX_DEPTH);
        try {
            return new Yaml(options).compose(new StringReader(text.startsWith("\uFEFF") ? text.substring(1) : text));
        } catch (YAMLException e) {
            throw new Failure(
                    name + place(e) + ": cannot be read as YAML (expected: a file that sallyport check accepts)");
        }
    }

    private static String place(YAMLException fault) {
        Mark mark = fault instanceof MarkedYAMLException marked ? marked.getProblemMark() : null;
        return mark == null ? "" : ":" + (mark.getLine() + 1) + ":" + (mark.getColumn() + 1);
    }
}
