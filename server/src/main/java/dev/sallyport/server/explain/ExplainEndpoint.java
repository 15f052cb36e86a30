package dev.sallyport.server.explain;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.core.explain.ExplainRequest;
import dev.sallyport.core.explain.InvalidRequestException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * {@code POST /v1/explain} (docs/spec/decisions.md, section 13): takes a request as JSON, and answers with its explanation.
 * Who may ask is for the caller to check. Thread-safe; blocks, so never to be called on an event loop.
 */
public final class ExplainEndpoint {

    /** A body of a request that is to be explained needs no more. */
    public static final int MOST_BYTES = 2 * 1024 * 1024;

    private static final int OK = 200;
    private static final int BAD_REQUEST = 400;
    private static final int TOO_LARGE = 413;
    private static final int UNPROCESSABLE = 422;

    private static final List<String> TEXTS = List.of("method", "url", "body", "workload", "user", "source_address");

    private final ObjectMapper json = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final Judge judge;

    /** An answer, as JSON in UTF-8. */
    public record Answer(int status, byte[] json) {}

    public ExplainEndpoint(Judge judge) {
        this.judge = judge;
    }

    /** Answers a request's body. */
    public Answer answer(byte[] body) throws InterruptedException {
        if (body.length > MOST_BYTES) {
            return error(TOO_LARGE, "payload_too_large", "more than " + MOST_BYTES + " bytes", List.of());
        }
        JsonNode asked;
        try {
            asked = json.readTree(body);
        } catch (JsonProcessingException e) {
            return error(
                    BAD_REQUEST,
                    "bad_request",
                    "no JSON, from line " + e.getLocation().getLineNr() + ", column "
                            + e.getLocation().getColumnNr() + " on (expected: an object)",
                    List.of());
        } catch (IOException e) {
            return error(BAD_REQUEST, "bad_request", "no JSON (expected: an object)", List.of());
        }
        if (!asked.isObject()) {
            return error(
                    BAD_REQUEST, "bad_request", "no object (expected: {\"method\": ..., \"url\": ...})", List.of());
        }
        try {
            ObjectNode answer = ExplanationJson.of(judge.explain(request((ObjectNode) asked)));
            return new Answer(OK, answer.toString().getBytes(StandardCharsets.UTF_8));
        } catch (InvalidRequestException e) {
            return error(UNPROCESSABLE, "validation_error", "the request cannot be explained", e.problems());
        }
    }

    private static ExplainRequest request(ObjectNode asked) throws InvalidRequestException {
        List<InvalidRequestException.Problem> problems = new ArrayList<>();
        for (Map.Entry<String, JsonNode> field : asked.properties()) {
            check(field.getKey(), field.getValue(), problems);
        }
        for (String required : List.of("method", "url")) {
            if (!asked.hasNonNull(required)) {
                problems.add(new InvalidRequestException.Problem(required, "missing (expected: a text)"));
            }
        }
        RequestFields fields = new RequestFields(problems);
        if (problems.isEmpty()) {
            fields.method(text(asked, "method"), text(asked, "url"));
            asked.path("headers").properties().forEach(line -> headers(line, fields));
            fields.body(text(asked, "body").getBytes(StandardCharsets.UTF_8));
            fields.sender(text(asked, "workload"), text(asked, "user"), text(asked, "source_address"));
            fields.live(asked.path("live").asBoolean());
        }
        return fields.build();
    }

    private static void check(String name, JsonNode value, List<InvalidRequestException.Problem> problems) {
        if (TEXTS.contains(name)) {
            expect(value.isTextual() || value.isNull(), name, "a text", problems);
        } else if (name.equals("live")) {
            expect(value.isBoolean() || value.isNull(), name, "true or false", problems);
        } else if (name.equals("headers")) {
            boolean right = value.isNull() || value.isObject();
            for (JsonNode line : value) {
                right &= line.isTextual() || (line.isArray() && areTexts(line));
            }
            expect(right, name, "an object of texts, or of lists of texts", problems);
        } else {
            problems.add(new InvalidRequestException.Problem(
                    name, "not known (expected: " + String.join(", ", TEXTS) + ", headers or live)"));
        }
    }

    private static boolean areTexts(JsonNode list) {
        boolean right = true;
        for (JsonNode element : list) {
            right &= element.isTextual();
        }
        return right;
    }

    private static void expect(
            boolean right, String name, String expected, List<InvalidRequestException.Problem> problems) {
        if (!right) {
            problems.add(new InvalidRequestException.Problem(name, "of another type (expected: " + expected + ")"));
        }
    }

    private static String text(JsonNode asked, String field) {
        JsonNode value = asked.path(field);
        return value.isTextual() ? value.textValue() : "";
    }

    private static void headers(Map.Entry<String, JsonNode> line, RequestFields fields) {
        if (line.getValue().isTextual()) {
            fields.header(line.getKey(), line.getValue().textValue());
        } else {
            line.getValue().forEach(value -> fields.header(line.getKey(), value.textValue()));
        }
    }

    private Answer error(int status, String code, String message, List<InvalidRequestException.Problem> problems) {
        ObjectNode answer = json.createObjectNode();
        ObjectNode error = answer.putObject("error");
        error.put("code", code);
        error.put("message", message);
        if (!problems.isEmpty()) {
            ArrayNode fields = error.putArray("fields");
            problems.forEach(
                    problem -> fields.addObject().put("field", problem.field()).put("message", problem.message()));
        }
        return new Answer(status, answer.toString().getBytes(StandardCharsets.UTF_8));
    }
}
