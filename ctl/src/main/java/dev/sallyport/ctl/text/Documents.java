package dev.sallyport.ctl.text;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.TreeNode;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import dev.sallyport.ctl.problem.Problem;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The objects of a file of YAML, or of JSON, with their lines. Errors tell the place, and quote nothing of the file. */
public final class Documents {

    private static final String EXPECTED = "objects with a kind";

    private final String name;
    private Map<String, Integer> lines = new HashMap<>();

    private Documents(String name) {
        this.name = name;
    }

    /** Reads a file, or standard input for {@code -}; documents that are empty do not count. Blocks. */
    public static List<Document> read(String file, InputStream standardInput) throws Problem {
        String text = SourceText.read(file, standardInput, EXPECTED);
        Documents reader = new Documents(SourceText.name(file));
        try (JsonParser parser = text.stripLeading().startsWith("{") ? Json.parser(text) : Json.yamlParser(text)) {
            return reader.all(parser);
        } catch (JacksonException e) {
            throw reader.problem(e.getLocation(), "malformed (expected: YAML or JSON, each key once)");
        } catch (IOException e) {
            throw reader.problem(null, "malformed (expected: YAML or JSON)");
        }
    }

    private List<Document> all(JsonParser parser) throws IOException, Problem {
        List<Document> documents = new ArrayList<>();
        while (parser.nextToken() != null) {
            lines = new HashMap<>();
            JsonLocation begin = parser.currentTokenLocation();
            JsonNode content = value(parser, "");
            if (content instanceof ObjectNode object) {
                documents.add(new Document(name, object, lines));
            } else if (!content.isNull()) {
                throw problem(begin, "no object (expected: " + EXPECTED + ")");
            }
        }
        return documents;
    }

    private JsonNode value(JsonParser parser, String path) throws IOException, Problem {
        lines.putIfAbsent(path, parser.currentTokenLocation().getLineNr());
        if (parser instanceof YAMLParser yaml && yaml.isCurrentAlias()) {
            throw problem(parser.currentTokenLocation(), "an alias (expected: values written out)");
        }
        if (parser.currentToken() == JsonToken.START_OBJECT) {
            return object(parser, path);
        }
        if (parser.currentToken() == JsonToken.START_ARRAY) {
            ArrayNode list = Json.array();
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                list.add(value(parser, path + "[" + list.size() + "]"));
            }
            return list;
        }
        TreeNode scalar = parser.readValueAsTree();
        return (JsonNode) Objects.requireNonNull(scalar);
    }

    private ObjectNode object(JsonParser parser, String path) throws IOException, Problem {
        ObjectNode object = Json.object();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String key = parser.currentName();
            String below = path.isEmpty() ? key : path + "." + key;
            lines.put(below, parser.currentTokenLocation().getLineNr());
            parser.nextToken();
            object.set(key, value(parser, below));
        }
        return object;
    }

    private Problem problem(@Nullable JsonLocation location, String what) {
        String place = location == null || location.getLineNr() < 1
                ? ""
                : ":" + location.getLineNr() + ":" + location.getColumnNr();
        return Problem.usage(name + place + ": " + what);
    }
}
