package dev.sallyport.control.model;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** JSON as the API writes it: snake case, instants with milliseconds. */
public final class Json {

    private static final DateTimeFormatter INSTANT =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    /** Half of what is written at most: what is accepted is shown inside of other objects. */
    public static final int DEEPEST = 500;

    private static final ObjectMapper MAPPER = mapper(new JsonFactory());

    private static final ObjectMapper OUTSIDE = mapper(JsonFactory.builder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(DEEPEST).build())
            .build());

    private Json() {}

    private static ObjectMapper mapper(JsonFactory factory) {
        return JsonMapper.builder(factory)
                .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .addModule(new SimpleModule()
                        .addSerializer(Instant.class, new InstantWriter())
                        .addDeserializer(Instant.class, new InstantReader()))
                .build();
    }

    private static final class InstantWriter extends JsonSerializer<Instant> {
        @Override
        public void serialize(Instant value, JsonGenerator out, SerializerProvider provider) throws IOException {
            out.writeString(text(value));
        }
    }

    private static final class InstantReader extends JsonDeserializer<Instant> {
        @Override
        public Instant deserialize(JsonParser in, DeserializationContext context) throws IOException {
            return Instant.parse(in.getText());
        }
    }

    /** {@code 2026-01-02T03:04:05.678Z}. */
    public static String text(Instant instant) {
        return INSTANT.format(instant);
    }

    /** The bytes of a value. */
    public static byte[] bytes(Object value) {
        try {
            return MAPPER.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a value that cannot be written", e);
        }
    }

    /** The text of a value. */
    public static String text(Object value) {
        try {
            return MAPPER.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a value that cannot be written", e);
        }
    }

    /**
     * Parses a text from outside.
     *
     * @throws JsonProcessingException when it is no JSON, has a member twice, goes on after its end or is nested
     *     too deeply
     */
    public static JsonNode parse(String text) throws JsonProcessingException {
        return OUTSIDE.readTree(text);
    }

    /** Reads back what {@link #text(Object)} wrote. */
    public static <T> T read(String text, Class<T> type) {
        try {
            return MAPPER.readValue(text, type);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a stored value that cannot be read", e);
        }
    }

    /** A value as a tree. */
    public static JsonNode tree(Object value) {
        return MAPPER.valueToTree(value);
    }
}
