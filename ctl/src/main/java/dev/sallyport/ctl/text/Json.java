package dev.sallyport.ctl.text;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.UncheckedIOException;

/** JSON and YAML as trees. Numbers stay as they were written. */
public final class Json {

    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    /** For trees within a document, after which it goes on. */
    private static final ObjectMapper PARTS = JSON.copy().disable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private static final ObjectMapper YAML = YAMLMapper.builder(YAMLFactory.builder()
                    .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
                    .disable(YAMLGenerator.Feature.SPLIT_LINES)
                    .build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private static final DefaultIndenter LINES = new DefaultIndenter("  ", "\n");

    private static final ObjectWriter PRETTY =
            JSON.writer(new DefaultPrettyPrinter().withObjectIndenter(LINES).withArrayIndenter(LINES));

    private Json() {}

    /** An empty object. */
    public static ObjectNode object() {
        return JSON.createObjectNode();
    }

    /**
     * Parses one document of JSON.
     *
     * @throws JacksonException where it is malformed; its text may quote the document
     */
    public static JsonNode parse(byte[] json) throws JacksonException {
        try {
            return JSON.readTree(json);
        } catch (JacksonException e) {
            throw e;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** An empty list. */
    public static ArrayNode array() {
        return JSON.createArrayNode();
    }

    /** A parser of JSON that makes trees. */
    static JsonParser parser(String json) throws JacksonException {
        try {
            return PARTS.createParser(json);
        } catch (JacksonException e) {
            throw e;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A parser of YAML that makes trees. */
    static JsonParser yamlParser(String yaml) throws JacksonException {
        try {
            return YAML.createParser(yaml);
        } catch (JacksonException e) {
            throw e;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A document as bytes. */
    public static byte[] bytes(JsonNode document) {
        try {
            return JSON.writeValueAsBytes(document);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A document of several lines, without a line feed at its end. */
    public static String pretty(JsonNode document) {
        return write(PRETTY, document);
    }

    /** A document as YAML, without a line feed at its end. Strings are quoted, so that none is read as something else. */
    public static String yaml(JsonNode document) {
        return write(YAML.writer(), document).stripTrailing();
    }

    private static String write(ObjectWriter writer, JsonNode document) {
        try {
            return writer.writeValueAsString(document);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }
}
