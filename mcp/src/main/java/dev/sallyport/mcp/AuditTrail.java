package dev.sallyport.mcp;

import dev.sallyport.spi.Trace;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The group {@code mcp} of one exchange's audit record, and its counts. Bounded: a record says how many messages it leaves
 * out. Confined to the exchange.
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
    private final Counts counts;
    private final List<Map<String, Object>> messages = new ArrayList<>(2);
    private Trace trace;
    private int omitted;
    private boolean untold;
    private boolean masked;

    AuditTrail(String server, Counts counts, Trace trace) {
        this.server = server;
        this.counts = counts;
        this.trace = trace;
    }

    /** From now on what is said goes to the record through this. */
    void through(Trace newTrace) {
        trace = newTrace;
    }

    /** From now on only names of the policy and of the protocol are shown: others may be made of credentials. */
    void mask() {
        masked = true;
    }

    /** Notes a message of the client and what the policy says of it. */
    void message(Message message, Verdict verdict) {
        String decision = verdict.denied() ? Counts.DENY : Counts.ALLOW;
        boolean named = verdict.listed() && !verdict.kind().equals("resource"); // resources are listed by pattern
        String method = masked && !message.isKnown() ? MASKED : message.method();
        String subject = masked && !named ? MASKED : verdict.subject();
        add(REQUEST, method, verdict.kind(), subject, decision, verdict.reason(), null);
        if (verdict.judged()) {
            counts.add(server, label(message, verdict), decision, 1);
        }
    }

    private static String label(Message message, Verdict verdict) {
        if (!verdict.kind().equals("tool")) {
            return message.method();
        }
        return verdict.listed() ? verdict.subject() : Counts.OTHER;
    }

    /** Notes a body that is no message, or not clearly one. */
    void refused(String reason) {
        add(REQUEST, "", "", "", Counts.DENY, reason, null);
        counts.add(server, Counts.OTHER, Counts.DENY, 1);
    }

    /** Notes a body that is not judged because it is no JSON. */
    void passed(String reason) {
        add(REQUEST, "", "", "", Counts.ALLOW, reason, null);
    }

    /** Notes how many items were taken out of a list. */
    void filtered(ListKind kind, int removed) {
        Map<String, Object> entry = add(RESPONSE, kind.method, "", "", Counts.FILTERED, kind.reason, null);
        if (entry != null) {
            entry.put("removed", removed);
        }
        counts.add(server, Counts.OTHER, Counts.FILTERED, removed);
    }

    /** Notes a request of the server that does not reach the client. */
    void dropped(String method, String reason) {
        add(RESPONSE, method, "", "", Counts.DENY, reason, null);
        counts.add(server, Counts.OTHER, Counts.DENY, 1);
        trace.warn();
    }

    /** Notes a response that cannot be read, and therefore does not reach the client. */
    void unreadable() {
        add(RESPONSE, "", "", "", Counts.DENY, Reasons.UNREADABLE, null);
        counts.add(server, Counts.OTHER, Counts.DENY, 1);
    }

    /** Notes the first sight of a tool. */
    void pinned(String tool, String digest, boolean remembered) {
        if (remembered) {
            add(RESPONSE, Methods.TOOLS_LIST, "tool", tool, Counts.ALLOW, Reasons.PINNED, digest);
        }
    }

    /** Notes a tool whose definition is not what it has to be. */
    void changed(String tool, String digest) {
        add(RESPONSE, Methods.TOOLS_LIST, "tool", tool, Counts.DENY, Reasons.CHANGED, digest);
        counts.add(server, tool, Counts.DENY, 1);
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

    /** Puts what has been noted into the record. */
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

    /** A stranger's name, cut, and without what could disturb who reads it. */
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
