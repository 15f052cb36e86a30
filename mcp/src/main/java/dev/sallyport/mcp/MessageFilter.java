package dev.sallyport.mcp;

import dev.sallyport.mcp.json.Json;
import dev.sallyport.mcp.json.JsonParser;
import dev.sallyport.mcp.json.JsonSyntaxException;
import dev.sallyport.mcp.json.Names;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Removes from a server's messages what its policy does not list. The rest keeps its bytes. Confined to the exchange.
 */
final class MessageFilter {

    private static final Names ENVELOPE = Names.of("id", "method", "result");
    private static final byte[] NOTHING = {};

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
                || (!members.resembledIn(result)
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
        Json id = object.get("id");
        if (!(object.get("result") instanceof Json.Obj result) || (id != null && exchange.asksForNoList(id))) {
            return;
        }
        if (members.resembledIn(result)) {
            throw new UnreadableException("A member of the server's result is spelled almost like a list.");
        }
        for (ListKind kind : exchange.policy().lists()) {
            Json list = result.get(kind.member);
            if (list instanceof Json.Arr items) {
                list(text, kind, items, cuts);
            } else if (list != null) {
                throw new UnreadableException("The server's list is not an array.");
            }
        }
    }

    private void list(byte[] text, ListKind kind, Json.Arr list, List<Cut> cuts) {
        List<Json> kept = new ArrayList<>(list.items().size());
        for (Json item : list.items()) {
            if (exchange.policy().keeps(kind, item, exchange.origin(), exchange.trail())) {
                kept.add(item);
            }
        }
        cut(text, list, kept, cuts);
        if (kept.size() < list.items().size()) {
            exchange.trail().filtered(kind, list.items().size() - kept.size());
        }
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
