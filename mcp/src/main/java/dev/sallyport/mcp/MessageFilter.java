package dev.sallyport.mcp;

import dev.sallyport.mcp.json.Json;
import dev.sallyport.mcp.json.JsonParser;
import dev.sallyport.mcp.json.JsonSyntaxException;
import dev.sallyport.mcp.json.JsonWriter;
import dev.sallyport.mcp.json.Names;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Removes from a server's messages what its policy does not list. The rest keeps its bytes. Confined to the exchange.
 */
final class MessageFilter {

    private static final Names ENVELOPE = Names.of("id", "method", "result");
    private static final String REQUESTS = "inputRequests";
    private static final Names ASKED = Names.of(REQUESTS);
    private static final byte[] NOTHING = {};

    /** How long a client may take what is left of a list for the whole, in ms: policies change. */
    private static final int LONGEST_REUSE = 10_000;

    /** A range of bytes, and its replacement. */
    private record Cut(int start, int end, byte[] instead) {}

    private final McpExchange exchange;
    private final Names members;

    MessageFilter(McpExchange exchange) {
        this.exchange = exchange;
        this.members = Names.of(
                exchange.policy().lists().stream().map(kind -> kind.member).toArray(String[]::new));
    }

    /**
     * Filters one message or a batch.
     *
     * @return null when nothing is removed; empty when nothing is left
     */
    byte @Nullable [] filter(byte[] text) throws UnreadableException {
        Json json;
        try {
            json = JsonParser.parseLeniently(text);
        } catch (JsonSyntaxException e) {
            if (needsNoFilter(text)) {
                return null;
            }
            throw new UnreadableException("The server's message is ambiguous: " + e.getMessage());
        }
        if (json instanceof Json.Arr batch) {
            List<Json> kept = new ArrayList<>();
            for (Json item : batch.items()) {
                if (!dropped(item)) {
                    kept.add(item);
                }
            }
            if (kept.size() < batch.items().size()) {
                List<Cut> shorter = new ArrayList<>();
                cut(text, batch, kept, shorter);
                byte[] rest = applied(text, shorter);
                byte[] filtered = kept.isEmpty() ? NOTHING : filter(rest);
                return filtered == null ? rest : filtered;
            }
            return filter(text, batch.items());
        }
        return dropped(json) ? NOTHING : filter(text, List.of(json));
    }

    /**
     * Whether the text holds nothing that may have to be removed, whichever of the members of one name a reader takes.
     */
    private boolean needsNoFilter(byte[] text) {
        try {
            Json json = JsonParser.parseRepeating(text);
            List<Json> messages = json instanceof Json.Arr batch ? batch.items() : List.of(json);
            return messages.stream().allMatch(this::needsNoFilter);
        } catch (JsonSyntaxException e) {
            return false;
        }
    }

    private boolean needsNoFilter(Json message) {
        if (!(message instanceof Json.Obj object)) {
            return !(message instanceof Json.Arr);
        }
        if (ENVELOPE.resembledIn(object)
                || (object.get("method") != null && !exchange.policy().sampling())) {
            return false;
        }
        return !(object.get("result") instanceof Json.Obj result)
                || (asksNothing(result)
                        && !members.resembledIn(result)
                        && exchange.policy().lists().stream().allMatch(kind -> result.get(kind.member) == null));
    }

    private byte @Nullable [] filter(byte[] text, List<Json> messages) throws UnreadableException {
        List<Cut> cuts = new ArrayList<>(0);
        for (Json message : messages) {
            message(text, message, cuts);
        }
        return cuts.isEmpty() ? null : applied(text, cuts);
    }

    /** Whether a message is a server's request that must not reach the client. */
    private boolean dropped(Json message) {
        if (exchange.policy().sampling()
                || !(message instanceof Json.Obj object)
                || !(object.get("method") instanceof Json.Text method)
                || !Names.fold(method.value()).equals(Names.fold(Methods.SAMPLING))) {
            return false;
        }
        exchange.trail().dropped(Methods.SAMPLING, DenialReasons.SAMPLING);
        return true;
    }

    private void message(byte[] text, Json message, List<Cut> cuts) throws UnreadableException {
        if (message instanceof Json.Arr) {
            throw new UnreadableException("The server's batch holds a batch.");
        }
        if (!(message instanceof Json.Obj object)) {
            return;
        }
        if (ENVELOPE.resembledIn(object)) {
            throw new UnreadableException("A member of the server's message is spelled almost like one of JSON-RPC.");
        }
        if (object.get("params") instanceof Json.Obj params) {
            questions(text, params, cuts);
        }
        Json id = object.get("id");
        if (!(object.get("result") instanceof Json.Obj result)) {
            return;
        }
        questions(text, result, cuts);
        if (id != null && exchange.asksForNoList(id)) {
            return;
        }
        if (members.resembledIn(result)) {
            throw new UnreadableException("A member of the server's result is spelled almost like a list.");
        }
        boolean shorter = false;
        for (ListKind kind : exchange.policy().lists()) {
            Json list = result.get(kind.member);
            if (list instanceof Json.Arr items) {
                shorter |= list(text, kind, items, cuts);
            } else if (list != null) {
                throw new UnreadableException("The server's list is not an array.");
            }
        }
        if (shorter) {
            limitReuse(result, cuts);
        }
    }

    /** Whether a result, or a notification's params, ask the client for nothing that the policy could forbid. */
    private boolean asksNothing(Json.Obj object) {
        return exchange.policy().sampling() || (object.get(REQUESTS) == null && !ASKED.resembledIn(object));
    }

    /**
     * Removes requests that must not reach the client: since revision 2026-07-28 they stand in a result or the params of
     * a notification.
     */
    private void questions(byte[] text, Json.Obj object, List<Cut> cuts) throws UnreadableException {
        if (asksNothing(object)) {
            return;
        }
        if (ASKED.resembledIn(object) || !(object.get(REQUESTS) instanceof Json.Obj requests)) {
            throw new UnreadableException("The server's requests for input are not clear.");
        }
        ByteArrayOutputStream kept = new ByteArrayOutputStream();
        boolean all = true;
        for (Map.Entry<String, Json> request : requests.members().entrySet()) {
            Json value = request.getValue();
            if (value instanceof Json.Obj question && ENVELOPE.resembledIn(question)) {
                throw new UnreadableException(
                        "A member of a request for input is spelled almost like one of JSON-RPC.");
            }
            if (dropped(value)) {
                all = false;
            } else {
                kept.writeBytes(bytes((kept.size() == 0 ? "" : ",") + JsonWriter.quote(request.getKey()) + ":"));
                kept.write(text, value.start(), value.end() - value.start());
            }
        }
        if (!all) {
            cuts.add(new Cut(
                    requests.start(), requests.end(), bytes("{" + kept.toString(StandardCharsets.UTF_8) + "}")));
        }
    }

    /** What is left of a list is for this client alone, and not for long. */
    private void limitReuse(Json.Obj result, List<Cut> cuts) {
        Json scope = result.get("cacheScope");
        Json ttl = result.get("ttlMs");
        if (!exchange.hintsReuse() && scope == null && ttl == null) {
            return;
        }
        String added = "";
        if (scope == null) {
            added += "\"cacheScope\":\"private\",";
        } else {
            cuts.add(new Cut(scope.start(), scope.end(), bytes("\"private\"")));
        }
        if (ttl == null) {
            added += "\"ttlMs\":0,";
        } else if (!isBrief(ttl)) {
            cuts.add(new Cut(ttl.start(), ttl.end(), bytes(Integer.toString(LONGEST_REUSE))));
        }
        if (!added.isEmpty()) {
            int first = result.start() + 1;
            cuts.add(new Cut(first, first, bytes(added)));
        }
    }

    private static boolean isBrief(Json ttl) {
        if (!(ttl instanceof Json.Num number)) {
            return false;
        }
        String digits = number.spelling();
        return digits.length() <= 5
                && digits.chars().allMatch(c -> c >= '0' && c <= '9')
                && Integer.parseInt(digits) <= LONGEST_REUSE;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Returns whether something was removed. */
    private boolean list(byte[] text, ListKind kind, Json.Arr list, List<Cut> cuts) {
        List<Json> kept = new ArrayList<>(list.items().size());
        for (Json item : list.items()) {
            if (exchange.policy().keeps(kind, item, exchange.origin(), exchange.trail())) {
                kept.add(item);
            }
        }
        cut(text, list, kept, cuts);
        boolean shorter = kept.size() < list.items().size();
        if (shorter) {
            exchange.trail().filtered(kind, list.items().size() - kept.size());
        }
        return shorter;
    }

    private static void cut(byte[] text, Json.Arr array, List<Json> kept, List<Cut> cuts) {
        if (kept.size() == array.items().size()) {
            return;
        }
        ByteArrayOutputStream instead = new ByteArrayOutputStream();
        instead.write('[');
        for (int i = 0; i < kept.size(); i++) {
            if (i > 0) {
                instead.write(',');
            }
            instead.write(
                    text, kept.get(i).start(), kept.get(i).end() - kept.get(i).start());
        }
        instead.write(']');
        cuts.add(new Cut(array.start(), array.end(), instead.toByteArray()));
    }

    private static byte[] applied(byte[] text, List<Cut> cuts) {
        List<Cut> inOrder = cuts.stream()
                .sorted((one, other) -> Integer.compare(one.start(), other.start()))
                .toList();
        ByteArrayOutputStream out = new ByteArrayOutputStream(text.length);
        int at = 0;
        for (Cut cut : inOrder) {
            out.write(text, at, cut.start() - at);
            out.writeBytes(cut.instead());
            at = cut.end();
        }
        out.write(text, at, text.length - at);
        return out.toByteArray();
    }
}
