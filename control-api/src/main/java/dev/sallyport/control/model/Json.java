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
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** JSON as the API writes it: snake case, instants with milliseconds. */
public final class Json {

    /** Half of what is written at most: what is accepted is shown inside of other objects. */
    public static final int DEEPEST = 500;

    private static final ObjectMapper MAPPER = mapper(new JsonFactory());

    private static final ObjectMapper OUTSIDE = mapper(JsonFactory.builder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(DEEPEST).build())
            .build());

    private static final DateTimeFormatter INSTANT =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    private static final byte[] NO_DIGITS = "0000-00-00T00:00:00.000Z".getBytes(StandardCharsets.ISO_8859_1);

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

    /** {@code 2026-01-02T03:04:05.678Z}. Each row of a list has one: a formatter takes ten times as long. */
    public static String text(Instant instant) {
        LocalDateTime time = LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
        if (time.getYear() < 1 || time.getYear() > 9999) {
            return INSTANT.format(instant);
        }
        byte[] text = NO_DIGITS.clone();
        digits(text, 4, time.getYear());
        digits(text, 7, time.getMonthValue());
        digits(text, 10, time.getDayOfMonth());
        digits(text, 13, time.getHour());
        digits(text, 16, time.getMinute());
        digits(text, 19, time.getSecond());
        digits(text, 23, time.getNano() / 1_000_000);
        return new String(text, StandardCharsets.ISO_8859_1);
    }

    /** Writes a number over the zeros before this place. */
    private static void digits(byte[] text, int end, int number) {
        int at = end;
        for (int rest = number; rest > 0; rest /= 10) {
            text[--at] = (byte) ('0' + rest % 10);
        }
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
