package dev.sallyport.mcp;

import dev.sallyport.mcp.json.Json;
import dev.sallyport.spi.RequestContext;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The state of one exchange with a server between its request and its response. Confined to the exchange. */
final class McpExchange {

    private final ServerPolicy policy;
    private final Origin origin;
    private final AuditTrail trail;
    private final boolean hintsReuse;
    private final List<String> errors = new ArrayList<>(0);
    private final Set<String> others = new HashSet<>(4);
    private boolean listing;

    McpExchange(ServerPolicy policy, Origin origin, AuditTrail trail, boolean hintsReuse) {
        this.policy = policy;
        this.origin = origin;
        this.trail = trail;
        this.hintsReuse = hintsReuse;
    }

    static McpExchange of(ServerPolicy policy, DecisionCounter counter, RequestContext context) {
        AuditTrail trail = new AuditTrail(policy.name(), counter, context.trace());
        boolean hintsReuse = HeaderAgreement.isRequired(context.head().headers());
        return new McpExchange(policy, Origin.of(context), trail, hintsReuse);
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

    /** Whether results say how long, and for whom, they may be kept: since revision 2026-07-28. */
    boolean hintsReuse() {
        return hintsReuse;
    }

    /** Remembers a message that is forwarded to the server. */
    void forwarded(Message message) {
        if (ListKind.asksForOne(message.method())) {
            listing = true;
        } else if (message.isRequest() && message.id() != null) {
            others.add(spelled(message.id()));
        }
    }

    /** Remembers the answer to a denied message, which the client gets in addition to the server's answer. */
    void owes(String error) {
        errors.add(error);
    }

    /** The answers to the denied messages of a batch. */
    List<String> errors() {
        return errors;
    }

    /** Whether the client asked for a list. */
    boolean listing() {
        return listing;
    }

    /** Whether an answer with this id belongs to a request that did not ask for a list. */
    boolean asksForNoList(Json id) {
        return others.contains(spelled(id));
    }

    /** The text of an id without its type, which lenient clients ignore. */
    static String spelled(Json id) {
        return switch (id) {
            case Json.Text text -> text.value();
            case Json.Num number -> number.spelling();
            default -> "";
        };
    }
}
