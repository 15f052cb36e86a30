package dev.sallyport.conformance.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.StringJoiner;

/** A batch made by chance, what ought to be forwarded of it, and how a server answers that. */
final class Batch {

    /** What an item is. */
    private enum Kind {
        CALL,
        LIST,
        OTHER,
        NOTIFICATION,
        RESPONSE,
        DENIED_CALL,
        DENIED_ARGUMENT,
        DENIED_NOTIFICATION;

        boolean denied() {
            return compareTo(DENIED_CALL) >= 0;
        }

        boolean answered() {
            return this == CALL || this == LIST || this == OTHER || this == DENIED_CALL || this == DENIED_ARGUMENT;
        }
    }

    private record Item(Kind kind, String id, String text) {}

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String[] BLANKS = {"", "", " ", "\n", "\r\n\t"};

    private final Random random;
    private final List<Item> items = new ArrayList<>();
    /** Messages that the client is to get, in any order. */
    private final List<JsonNode> expected = new ArrayList<>();

    private final String text;
    private final byte[] answer;

    Batch(Random random) {
        this.random = random;
        int size = 1 + random.nextInt(random.nextInt(8) == 0 ? 40 : 6);
        for (int i = 0; i < size; i++) {
            items.add(item(Kind.values()[random.nextInt(Kind.values().length)], i));
        }
        items.stream()
                .filter(item -> item.kind().denied() && item.kind().answered())
                .forEach(item -> expected.add(parse("{\"jsonrpc\":\"2.0\",\"id\":" + item.id()
                        + ",\"error\":{\"code\":-32001,\"message\":\"blocked by the service policy\"}}")));
        text = written();
        answer = forwarded().isEmpty() ? new byte[0] : answered();
    }

    static JsonNode parse(String text) {
        try {
            return JSON.readTree(text);
        } catch (IOException e) {
            throw new UncheckedIOException(text, e);
        }
    }

    private String blank() {
        return BLANKS[random.nextInt(BLANKS.length)];
    }

    private Item item(Kind kind, int position) {
        String id = switch (random.nextInt(4)) {
            case 0 -> "\"" + "x\\u00e9y".substring(random.nextInt(2)) + position + "\"";
            case 1 -> "9007199254740993" + (100 + position);
            case 2 -> "-" + (1 + position);
            default -> String.valueOf(1000 + position);
        };
        String members = switch (kind) {
            case CALL -> request(id, "tools/call", "{\"name\":\"echo\",\"arguments\":{\"t\":\"" + filler() + "\"}}");
            case LIST -> request(id, "tools/list", "{}");
            case OTHER -> request(id, "prompts/get", "{\"name\":\"wipe\"}");
            case NOTIFICATION ->
                "\"method\":\"notifications/progress\",\"params\":{\"progressToken\":" + position + ",\"progress\":1}";
            case RESPONSE -> "\"id\":" + id + ",\"result\":{\"tools\":\"" + filler() + "\"}";
            case DENIED_CALL ->
                request(id, "tools/call", "{\"name\":\"wipe\",\"arguments\":{\"t\":\"" + filler() + "\"}}");
            case DENIED_ARGUMENT -> request(id, "tools/call", "{\"name\":\"send\",\"arguments\":{\"to\":\"foe\"}}");
            case DENIED_NOTIFICATION -> "\"method\":\"tools/call\",\"params\":{\"name\":\"wipe\"}";
        };
        return new Item(kind, id, "{" + blank() + "\"jsonrpc\":" + blank() + "\"2.0\"," + members + blank() + "}");
    }

    private String request(String id, String method, String params) {
        String first = "\"id\":" + id;
        String second = "\"method\":\"" + (random.nextBoolean() ? method : method.replace("/", "\\/")) + "\"";
        return random.nextBoolean()
                ? first + "," + second + ",\"params\":" + params
                : "\"params\":" + blank() + params + "," + second + "," + blank() + first;
    }

    private String filler() {
        return "],[{}\\\"\\\\ \u00e9\ud83d\ude80"
                .substring(random.nextInt(4))
                .repeat(random.nextInt(20) == 0 ? 200 : random.nextInt(3));
    }

    /** As the client sends it. */
    String text() {
        return text;
    }

    private String written() {
        StringJoiner written = new StringJoiner(",", blank() + "[", "]" + blank());
        items.forEach(item -> written.add(blank() + item.text() + blank()));
        return written.toString();
    }

    /** The items that the server is to get, in the bytes of the client. */
    List<String> forwarded() {
        return items.stream()
                .filter(item -> !item.kind().denied())
                .map(Item::text)
                .toList();
    }

    boolean nothingDenied() {
        return items.stream().noneMatch(item -> item.kind().denied());
    }

    /** What the client is to get when the server has answered, in any order. */
    List<JsonNode> expected() {
        return expected;
    }

    byte[] answer() {
        return answer;
    }

    /** How the server answers what it was forwarded, which it notes as expected. */
    private byte[] answered() {
        List<String> messages = new ArrayList<>();
        for (Item item : items) {
            if (!item.kind().denied() && item.kind().answered() && random.nextInt(20) > 0) {
                messages.add(reply(item));
            }
        }
        Collections.shuffle(messages, random);
        messages.forEach(message -> expected.add(listed(parse(message))));
        int form = random.nextInt(4);
        if (messages.isEmpty() && form < 2) {
            return Wire.answer(202, "", new byte[0]);
        }
        if (messages.size() == 1 && form == 0) {
            return Wire.json(blank() + messages.getFirst() + blank());
        }
        if (form < 2) {
            return Wire.json(blank() + "[" + String.join("," + blank(), messages) + "]" + blank());
        }
        return stream(messages, form == 3);
    }

    private String reply(Item item) {
        String id = "\"id\":" + item.id();
        String result = item.kind() == Kind.LIST
                ? "\"result\":{\"tools\":[{\"name\":\"wipe\"},{\"name\":\"echo\",\"description\":\"" + filler()
                        + "\"},{\"name\":\"send\"}],\"nextCursor\":\"c\"}"
                : random.nextInt(5) == 0
                        ? "\"error\":{\"code\":-32602,\"message\":\"" + filler() + "\"}"
                        : "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"" + filler() + "\"}]}";
        return random.nextBoolean()
                ? "{\"jsonrpc\":\"2.0\"," + id + "," + result + "}"
                : "{" + blank() + result + "," + id + ",\"jsonrpc\":\"2.0\"}";
    }

    private static JsonNode listed(JsonNode message) {
        if (message.at("/result/tools").isArray()) {
            for (var tools = message.get("result").get("tools").elements(); tools.hasNext(); ) {
                if (tools.next().get("name").asText().equals("wipe")) {
                    tools.remove();
                }
            }
        }
        return message;
    }

    /** One event for each message, or one for all of them, with what else a stream may carry. */
    private byte[] stream(List<String> messages, boolean together) {
        String end = List.of("\n", "\r\n", "\r").get(random.nextInt(3));
        StringBuilder events = new StringBuilder();
        if (random.nextBoolean()) {
            String note = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"data\":\"" + filler()
                    + "\"}}";
            events.append(": hello")
                    .append(end)
                    .append("data: ")
                    .append(note)
                    .append(end)
                    .append(end);
            expected.add(parse(note));
        }
        List<String> pieces =
                together && !messages.isEmpty() ? List.of("[" + String.join(",", messages) + "]") : messages;
        for (String piece : pieces) {
            events.append("event: message").append(end);
            for (String line : piece.split("\r\n|\r|\n", -1)) {
                events.append("data:")
                        .append(random.nextBoolean() ? " " : "")
                        .append(line)
                        .append(end);
            }
            events.append(end);
        }
        return Wire.join(
                Wire.bytes("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"),
                Wire.chunked(Wire.bytes(events.toString()), 1 + random.nextInt(300)));
    }

    /** An error of the policy without what is the proxy's own to add. */
    static JsonNode bare(JsonNode message) {
        if (message.at("/error/code").asInt() == -32001) {
            ((ObjectNode) message.get("error")).remove("data");
        }
        return message;
    }
}
