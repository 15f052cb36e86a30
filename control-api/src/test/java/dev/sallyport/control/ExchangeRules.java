package dev.sallyport.control;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What holds for every answer of the API, whatever was asked. */
final class ExchangeRules {

    private static final ObjectMapper JSON = new ObjectMapper();

    private static final Pattern JAVA = Pattern.compile(
            "\\b(?:java|javax|jakarta|jdk|sun|com|org|io|dev)\\.[a-z0-9]+\\.[A-Za-z0-9$.]+|\\b[A-Z][A-Za-z]+(?:Exception|Error)\\b|\\bat [a-z][\\w.$]+\\(|\\$\\$Lambda");

    private static final Pattern SQL = Pattern.compile(
            "(?i)\\bselect\\b.+\\bfrom\\b|\\binsert into\\b|\\bupdate \\w+ set\\b|sqlite|postgres|sqlstate|constraint failed|jdbi|hikari");

    /** The codes of errors that the specification has for each status. */
    private static final Map<Integer, Pattern> CODES = Map.ofEntries(
            Map.entry(400, Pattern.compile("bad_request")),
            Map.entry(414, Pattern.compile("uri_too_long")),
            Map.entry(431, Pattern.compile("header_fields_too_large")),
            Map.entry(401, Pattern.compile("unauthorized|proxy_revoked")),
            Map.entry(404, Pattern.compile("[a-z_]*not_found")),
            Map.entry(405, Pattern.compile("method_not_allowed")),
            Map.entry(
                    409,
                    Pattern.compile(
                            "[a-z_]+_(taken|used|expired)|idempotency_in_progress|quota_exceeded|vm_not_(running|stopped)|snapshot_not_ready")),
            Map.entry(412, Pattern.compile("precondition_failed")),
            Map.entry(413, Pattern.compile("payload_too_large")),
            Map.entry(415, Pattern.compile("unsupported_media_type")),
            Map.entry(422, Pattern.compile("validation_error|idempotency_key_reused")),
            Map.entry(503, Pattern.compile("sandboxes_unavailable|value_unreadable|encryption_key_unconfirmed")));

    /** Before what an event of a stream says. */
    private static final String DATA = "data: ";

    private static final Set<String> ERROR = Set.of("code", "message", "fields");

    private final Contract contract;

    ExchangeRules(Contract contract) {
        this.contract = contract;
    }

    /** What is wrong with the answer. */
    Optional<String> problem(FuzzRequest request, Api.Reply reply) {
        if (reply.status() >= 500 && !CODES.containsKey(reply.status())) {
            return Optional.of("status " + reply.status());
        }
        if (!reply.header("X-Evil").isEmpty()) {
            return Optional.of("a header field that the request made");
        }
        if (!reply.header("X-Content-Type-Options").equals("nosniff")) {
            return Optional.of("no X-Content-Type-Options");
        }
        if (reply.text().isEmpty()) {
            boolean bodiless = request.method().equals("HEAD") || reply.status() == 204 || isLines(reply);
            return bodiless ? Optional.empty() : Optional.of("no body");
        }
        Optional<String> body = body(reply);
        if (body.isPresent() || isUnread(reply)) {
            return body;
        }
        try {
            contract.check(request.method(), path(request), reply);
        } catch (AssertionError e) {
            return Optional.of("not as documented: " + e.getMessage());
        }
        return Optional.empty();
    }

    /** An export: a line for each event, and none where there are none. */
    private static boolean isLines(Api.Reply reply) {
        return reply.status() == 200 && reply.header("Content-Type").equals("application/x-ndjson");
    }

    /** Whether the server could not read the request: no operation answers, and the connection ends. */
    private static boolean isUnread(Api.Reply reply) {
        return reply.status() == 400
                && reply.header("Connection").equals("close")
                && reply.header("RateLimit-Limit").isEmpty();
    }

    private static String path(FuzzRequest request) {
        return request.target().replaceFirst("^http://[^/]+", "").replace("#", "%23");
    }

    private static Optional<String> body(Api.Reply reply) {
        if (isLines(reply)) {
            return reply.text().lines().flatMap(line -> text(line).stream()).findFirst();
        }
        if (reply.status() == 200 && reply.header("Content-Type").equals("text/x-diff")) {
            return Optional.empty(); // what an agent has changed is any text
        }
        if (reply.status() == 200 && reply.header("Content-Type").equals("text/event-stream")) {
            return reply.text()
                    .lines()
                    .filter(line -> line.startsWith(DATA))
                    .flatMap(line -> text(line.substring(DATA.length())).stream())
                    .findFirst();
        }
        if (!reply.header("Content-Type").equals("application/json")) {
            return Optional.of("Content-Type " + reply.header("Content-Type"));
        }
        Optional<String> text = text(reply.text());
        return text.isPresent() || reply.status() < 400 ? text : error(reply);
    }

    private static Optional<String> text(String text) {
        try {
            JSON.readTree(text);
        } catch (JsonProcessingException e) {
            return Optional.of("no JSON");
        }
        Matcher java = JAVA.matcher(text);
        return java.find() ? Optional.of("Java in the body: " + java.group()) : Optional.empty();
    }

    private static Optional<String> error(Api.Reply reply) {
        Matcher sql = SQL.matcher(reply.text());
        if (sql.find()) {
            return Optional.of("SQL in the body: " + sql.group());
        }
        Pattern codes = CODES.get(reply.status());
        if (codes == null) {
            return Optional.of("status " + reply.status());
        }
        JsonNode body = reply.json();
        JsonNode error = body.path("error");
        List<String> members = error.propertyStream().map(Map.Entry::getKey).toList();
        boolean shaped = body.size() == 1
                && ERROR.containsAll(members)
                && codes.matcher(error.path("code").asText()).matches()
                && !error.path("message").asText().isBlank();
        return shaped ? Optional.empty() : Optional.of("not the shape of an error");
    }
}
