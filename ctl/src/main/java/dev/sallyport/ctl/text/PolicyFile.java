package dev.sallyport.ctl.text;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.TreeNode;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import dev.sallyport.ctl.problem.Problem;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** A file that holds one policy, in YAML or JSON. Errors tell the place, and quote nothing of the file. */
public final class PolicyFile {

    private final String name;

    private PolicyFile(String name) {
        this.name = name;
    }

    /**
     * Reads a file, or standard input for {@code -}. An object whose only member is {@code data}, as the API answers, is
     * taken for what is in it. Blocks.
     */
    public static ObjectNode read(String file, InputStream in) throws Problem {
        String text = SourceText.read(file, in, "one policy");
        return new PolicyFile(SourceText.name(file)).object(text);
    }

    private ObjectNode object(String text) throws Problem {
        JsonNode document;
        try {
            document = text.stripLeading().startsWith("{")
                    ? Json.parse(text.getBytes(StandardCharsets.UTF_8))
                    : yaml(text);
        } catch (JacksonException e) {
            throw malformed(e.getLocation());
        } catch (IOException e) {
            throw problem("", "malformed (expected: YAML or JSON)");
        }
        if (document.size() == 1 && document.path("data").isObject()) {
            document = document.path("data");
        }
        if (document instanceof ObjectNode object) {
            return object;
        }
        throw problem("", "not one policy (expected: an object with the fields of a policy)");
    }

    private JsonNode yaml(String text) throws IOException, Problem {
        refuseAliases(text);
        try (JsonParser parser = Json.yamlParser(text)) {
            TreeNode document = parser.readValueAsTree();
            if (document == null) {
                throw problem("", "empty (expected: one policy)");
            }
            if (parser.nextToken() != null) {
                throw problem("", "several documents (expected: one policy)");
            }
            return (JsonNode) document;
        }
    }

    /** An alias would be read as the string that is its name. */
    private void refuseAliases(String text) throws IOException, Problem {
        try (YAMLParser parser = (YAMLParser) Json.yamlParser(text)) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (parser.isCurrentAlias()) {
                    throw problem(place(parser.currentTokenLocation()), "an alias (expected: values written out)");
                }
            }
        }
    }

    private Problem malformed(@Nullable JsonLocation location) {
        return problem(place(location), "malformed (expected: YAML or JSON, each key once)");
    }

    /** {@code :LINE:COLUMN}, or nothing where it is not known. */
    private static String place(@Nullable JsonLocation location) {
        return location == null || location.getLineNr() < 1
                ? ""
                : ":" + location.getLineNr() + ":" + location.getColumnNr();
    }

    private Problem problem(String place, String what) {
        return Problem.usage(name + place + ": " + what);
    }
}
