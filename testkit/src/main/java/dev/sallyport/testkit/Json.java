package dev.sallyport.testkit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;

/** Reads the JSON that the engine wrote. */
final class Json {

    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final TypeReference<Map<String, Object>> OBJECT = new TypeReference<>() {};

    private Json() {}

    static Map<String, Object> object(String text) {
        try {
            return MAPPER.readValue(text, OBJECT);
        } catch (JsonProcessingException e) {
            throw new AssertionError("no JSON object: " + text, e);
        }
    }

    static String field(HeaderLines headers, String body, String name) {
        String type = headers.first("Content-Type");
        if (type == null || !type.startsWith("application/problem+json")) {
            return "";
        }
        return String.valueOf(object(body).getOrDefault(name, ""));
    }
}
