package dev.sallyport.mcp;

import dev.sallyport.mcp.json.Json;
import dev.sallyport.spi.RequestContext;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What one exchange with a server has to remember between its request and its response. Confined to the exchange. */
final class McpExchange {

    private final ServerPolicy policy;
    private final Origin origin;
    private final AuditTrail trail;
    private final List<String> errors = new ArrayList<>(0);
    private final Set<String> others = new HashSet<>(4);
    private boolean listing;

    McpExchange(ServerPolicy policy, Origin origin, AuditTrail trail) {
        this.policy = policy;
        this.origin = origin;
        this.trail = trail;
    }

    static McpExchange of(ServerPolicy policy, Counts counts, RequestContext context) {
        AuditTrail trail = new AuditTrail(policy.name(), counts, context.trace());
        return new McpExchange(policy, Origin.of(context), trail);
    }

    ServerPolicy policy() {
        return policy;
    }

    Origin origin() {
        return origin;
    }

    AuditTrail trail() {
        return trail;
    }

    /** A message goes on to the server. */
    void forwarded(Message message) {
        if (ListKind.asksForOne(message.method())) {
            listing = true;
        } else if (message.isRequest() && message.id() != null) {
            others.add(spelled(message.id()));
        }
    }

    /** A message was denied, and its client is to get this besides what the server answers. */
    void owes(String error) {
        errors.add(error);
    }

    /** The answers to what was denied of a batch. */
    List<String> errors() {
        return errors;
    }

    /** Whether the client asked for a list. */
    boolean listing() {
        return listing;
    }

    /** Whether an answer of this id belongs to a request that asked for no list. */
    boolean asksForNoList(Json id) {
        return others.contains(spelled(id));
    }

    /** What an id is called, without its type: lenient clients do not look at it. */
    static String spelled(Json id) {
        return switch (id) {
            case Json.Text text -> text.value();
            case Json.Num number -> number.spelling();
            default -> "";
        };
    }
}
