package dev.sallyport.mcp;

import dev.sallyport.spi.Trace;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The group {@code mcp} of one exchange's audit record, and its counts. Bounded: a record says how many messages it
 * leaves out. Confined to the exchange.
 */
final class AuditTrail {

    /** The most messages that a record shows. */
    static final int MAX_MESSAGES = 64;

    /** The most characters of a name. */
    static final int MAX_NAME = 128;

    private static final String MASKED = "***";
    private static final String REQUEST = "request";
    private static final String RESPONSE = "response";

    private final String server;
    private final DecisionCounter counter;
    private final List<Map<String, Object>> messages = new ArrayList<>(2);
    private Trace trace;
    private int omitted;
    private boolean untold;
    private boolean masked;

    AuditTrail(String server, DecisionCounter counter, Trace trace) {
        this.server = server;
        this.counter = counter;
        this.trace = trace;
    }

    /** Sets the trace through which entries reach the record from now on. */
    void through(Trace newTrace) {
        trace = newTrace;
    }

    /** From now on shows only names from the policy and the protocol: others may be derived from credentials. */
    void mask() {
        masked = true;
    }

    /** Records a message of the client and the policy's verdict. */
    void message(Message message, Verdict verdict) {
        String decision = verdict.denied() ? DecisionCounter.DENY : DecisionCounter.ALLOW;
        boolean named = verdict.listed() && !verdict.kind().equals("resource"); // Patterns list resources.
        String method = masked && !message.isKnown() ? MASKED : message.method();
        String subject = masked && !named ? MASKED : verdict.subject();
        add(REQUEST, method, verdict.kind(), subject, decision, verdict.reason(), null);
        if (verdict.judged()) {
            counter.add(server, label(message, verdict), decision, 1);
        }
    }

    private static String label(Message message, Verdict verdict) {
        if (!verdict.kind().equals("tool")) {
            return message.method();
        }
        return verdict.listed() ? verdict.subject() : DecisionCounter.OTHER;
    }

    /** Records a body that is not a message, or not clearly one. */
    void refused(String reason) {
        add(REQUEST, "", "", "", DecisionCounter.DENY, reason, null);
        counter.add(server, DecisionCounter.OTHER, DecisionCounter.DENY, 1);
    }

    /** Records a body that is not judged because it is not JSON. */
    void passed(String reason) {
        add(REQUEST, "", "", "", DecisionCounter.ALLOW, reason, null);
    }

    /** Records how many items were removed from a list. */
    void filtered(ListKind kind, int removed) {
        Map<String, Object> entry = add(RESPONSE, kind.method, "", "", DecisionCounter.FILTERED, kind.reason, null);
        if (entry != null) {
            entry.put("removed", removed);
        }
        counter.add(server, DecisionCounter.OTHER, DecisionCounter.FILTERED, removed);
    }

    /** Records a request of the server that is not passed to the client. */
    void dropped(String method, String reason) {
        add(RESPONSE, method, "", "", DecisionCounter.DENY, reason, null);
        counter.add(server, DecisionCounter.OTHER, DecisionCounter.DENY, 1);
        trace.warn();
    }

    /** Records a response that cannot be read and is therefore not passed to the client. */
    void unreadable() {
        add(RESPONSE, "", "", "", DecisionCounter.DENY, DenialReasons.UNREADABLE, null);
        counter.add(server, DecisionCounter.OTHER, DecisionCounter.DENY, 1);
    }

    /** Records a tool that is seen for the first time. */
    void pinned(String tool, String digest, boolean remembered) {
        if (remembered) {
            add(RESPONSE, Methods.TOOLS_LIST, "tool", tool, DecisionCounter.ALLOW, DenialReasons.PINNED, digest);
        }
    }

    /** Records a tool whose definition is not the expected one. */
    void changed(String tool, String digest) {
        add(RESPONSE, Methods.TOOLS_LIST, "tool", tool, DecisionCounter.DENY, DenialReasons.CHANGED, digest);
        counter.add(server, tool, DecisionCounter.DENY, 1);
        trace.warn();
    }

    private @Nullable Map<String, Object> add(
            String direction,
            String method,
            String kind,
            String subject,
            String decision,
            @Nullable String reason,
            @Nullable String digest) {
        untold = true;
        if (messages.size() == MAX_MESSAGES) {
            omitted++;
            return null;
        }
        Map<String, Object> entry = new LinkedHashMap<>();
        entry.put("direction", direction);
        if (!method.isEmpty()) {
            entry.put("method", clean(method));
        }
        if (!kind.isEmpty()) {
            entry.put(kind, clean(subject));
        }
        entry.put("decision", decision);
        if (reason != null) {
            entry.put("reason", reason);
        }
        if (digest != null) {
            entry.put("digest", digest);
        }
        messages.add(entry);
        return entry;
    }

    /** Writes what has been recorded to the audit record. */
    void tell() {
        if (!untold) {
            return;
        }
        untold = false;
        Map<String, Object> group = new LinkedHashMap<>();
        group.put("server", server);
        group.put("messages", messages);
        if (omitted > 0) {
            group.put("messages_omitted", omitted);
        }
        trace.group("mcp", group);
    }

    /** A name from outside, shortened and without characters that could disturb a reader. */
    static String clean(String name) {
        StringBuilder clean = new StringBuilder(Math.min(name.length(), MAX_NAME));
        name.codePoints().limit(MAX_NAME).forEach(c -> clean.appendCodePoint(disturbing(c) ? '\ufffd' : c));
        return name.codePointCount(0, name.length()) > MAX_NAME
                ? clean.append("...").toString()
                : clean.toString();
    }

    private static boolean disturbing(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE -> true;
            default -> false;
        };
    }
}
