package dev.sallyport.core.config;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.reader.StreamReader;

/**
 * Reads an object of JSON several times faster than {@link YamlReader}, which takes it as well, and to the same nodes:
 * pipelines that a control plane delivers are JSON. What it is not sure of it leaves to the other, which says what is wrong.
 */
final class JsonReader {

    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .build();

    private final String source;
    private final JsonParser parser;
    private int nodes;

    private JsonReader(String source, JsonParser parser) {
        this.source = source;
        this.parser = parser;
    }

    /** Null for everything but a well-formed object within all limits. */
    static @Nullable ConfigNode read(String source, String text) {
        if (!text.startsWith("{") || !(isPlain(text) || (StreamReader.isPrintable(text) && !hasPairs(text)))) {
            return null;
        }
        try (JsonParser parser = JSON.createParser(text)) {
            parser.nextToken();
            JsonReader reader = new JsonReader(source, parser);
            ConfigNode root = reader.node(0);
            return parser.nextToken() == null ? root : null;
        } catch (IOException e) {
            return null; // no JSON, or Jackson's limits
        }
    }

    /** Whether all of it is printable ASCII: most is, and has been looked through once. */
    private static boolean isPlain(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c > '~' || (c < ' ' && c != '\n' && c != '\r' && c != '\t')) {
                return false;
            }
        }
        return true;
    }

    /** Whether columns, which are counted in code points, and the parser's, which are characters, may differ. */
    private static boolean hasPairs(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                return true;
            }
        }
        return false;
    }

    private ConfigNode node(int depth) throws IOException {
        Location at = at();
        count();
        if (depth > DocumentLimits.DEPTH) {
            throw new IOException("nested too deeply");
        }
        return switch (parser.currentToken()) {
            case START_OBJECT -> mapping(at, depth);
            case START_ARRAY -> sequence(at, depth);
            case VALUE_STRING -> new ConfigNode.Scalar(at, parser.getText(), ConfigNode.Type.STRING);
            default -> {
                String plain = parser.getText();
                yield new ConfigNode.Scalar(at, plain, ConfigNode.Type.ofPlain(plain));
            }
        };
    }

    private ConfigNode mapping(Location at, int depth) throws IOException {
        Map<String, ConfigNode.Entry> entries = Map.of();
        for (String key = parser.nextFieldName(); key != null; key = parser.nextFieldName()) {
            Location keyAt = at();
            count();
            parser.nextToken();
            ConfigNode.Entry entry = new ConfigNode.Entry(keyAt, node(depth + 1));
            if (entries.isEmpty()) {
                entries = Map.of(key, entry); // most rules have no more
            } else {
                entries = entries.size() == 1 ? new LinkedHashMap<>(entries) : entries;
                entries.put(key, entry);
            }
        }
        return new ConfigNode.Mapping(at, entries);
    }

    private ConfigNode sequence(Location at, int depth) throws IOException {
        List<ConfigNode> items = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            items.add(node(depth + 1));
        }
        return new ConfigNode.Sequence(at, List.copyOf(items));
    }

    private void count() throws IOException {
        nodes++;
        if (nodes > DocumentLimits.NODES) {
            throw new IOException("too many values");
        }
    }

    private Location at() {
        JsonLocation at = parser.currentTokenLocation();
        return new Location(source, at.getLineNr(), at.getColumnNr());
    }
}
