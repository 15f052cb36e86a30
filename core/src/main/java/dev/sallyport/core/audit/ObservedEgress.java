package dev.sallyport.core.audit;

import dev.sallyport.spi.GateVerdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a record says of a request that a workload sent outwards, in the terms of an egress policy (docs/spec/decisions.md,
 * section 15). Made off the event loops; keeps nothing of the record.
 *
 * @param millis when it began, since 1970
 * @param workload whose it was, as {@link AuditRecord#workload}
 * @param range the rule that matched, when it was a range
 * @param denied whether the gate refused it, or would have if it did not only warn
 * @param allowed whether it was let through, by the gate and all that came after it
 * @param warns whether the gate only warned
 * @param dial what became of the connection to the origin; null where none was needed: it was refused, or answered here
 */
public record ObservedEgress(
        long millis,
        String workload,
        String host,
        @Nullable String range,
        Protocol protocol,
        boolean denied,
        boolean allowed,
        boolean warns,
        @Nullable Dial dial,
        List<Replacement> replacements) {

    /** The most replacements of one request that are kept; the record in the audit log has all of them. */
    public static final int MOST_REPLACEMENTS = 100;

    /**
     * The most characters that the replacements of one request have together, names and places; those that follow are left
     * out. So it is not for a workload to decide how much memory and disk an event takes.
     */
    public static final int MOST_REPLACEMENT_CHARS = 16 * 1024;

    /** The longest name of a workload, in code points. Longer texts are cut, and end with {@code …}. */
    public static final int LONGEST_WORKLOAD = 1024;

    /** The longest host, in code points. */
    public static final int LONGEST_HOST = 255;

    /** The longest range; a longer one is left out, because a part of it is another range. */
    public static final int LONGEST_RANGE = 64;

    /** The longest name of a secret, in code points. */
    public static final int LONGEST_SECRET = 1024;

    /** The longest place of a replacement, in code points: workloads choose names of header fields and parameters. */
    public static final int LONGEST_LOCATION = 1024;

    private static final int CUT = '\u2026';
    private static final int UNREADABLE = '\uFFFD';

    /** The proxy's own site, which no policy judges. */
    private static final String LOCAL_SITE = "sallyport.internal";

    private static final String UNKNOWN_PROTOCOL = "unknown_protocol";
    private static final String SHUTDOWN = "shutdown";
    private static final String DIAL_GUARD = "upstream_denied";
    private static final String UPSTREAM = "upstream_";
    private static final String TCP = "tcp";
    private static final String SOCKS5 = "socks5";

    public ObservedEgress {
        replacements = List.copyOf(replacements);
    }

    /** What was spoken. */
    public enum Protocol {
        /** HTTP without TLS. */
        HTTP,
        /** TLS, intercepted or passed through. */
        TLS,
        /** Anything else. */
        TCP
    }

    /** What became of the connection to the origin. */
    public enum Dial {
        /** There was one, a new one or one that was open; a parent proxy may be on its way. */
        CONNECTED,
        /** There was none: its name, its address, the connection, TLS, or a parent proxy failed it. */
        FAILED
    }

    /**
     * A placeholder that was replaced, or a credential that was put in.
     *
     * @param secret its name
     * @param location such as {@code header:Authorization}
     */
    public record Replacement(String secret, String location) {

        private int chars() {
            return secret.length() + location.length();
        }
    }

    /**
     * What a record says; null when it is of no request to the outside: one to the proxy's own site, a connection that ended
     * before it named a destination, or a request whose client left while it waited for its turn.
     *
     * <p>Texts are cut to the longest that are kept, and control characters and halves of surrogate pairs are replaced: what
     * a workload chooses to send must not make its event one that is refused.
     */
    public static @Nullable ObservedEgress of(AuditRecord record) {
        if (record.host.isEmpty() || record.host.equals(LOCAL_SITE) || hasNeverBegun(record)) {
            return null;
        }
        GateVerdict verdict = record.gateVerdict;
        boolean other = record.endedBy.equals(UNKNOWN_PROTOCOL) || isOtherTcp(record);
        boolean denied = isDenied(record, verdict, other);
        boolean warns = verdict != null && verdict.isWarning();
        return new ObservedEgress(
                record.startMillis,
                text(record.workload, LONGEST_WORKLOAD),
                text(record.host, LONGEST_HOST),
                verdict == null ? null : range(verdict),
                protocol(record, other),
                denied,
                (!denied || warns) && isLetThrough(record, verdict == null),
                warns,
                dial(record),
                replacements(record));
    }

    /** Nobody has judged it, and nothing of it was sent: whoever leaves in a queue is no event. */
    private static boolean hasNeverBegun(AuditRecord record) {
        return record.gateVerdict == null && !record.endedBy.isEmpty() && record.action != AuditRecord.Action.REJECT;
    }

    /** What is neither HTTP nor TLS, and was passed through or refused as such. */
    private static boolean isOtherTcp(AuditRecord record) {
        return record.endedBy.isEmpty() && record.protocol.equals(TCP) && record.method.isEmpty() && !record.secure;
    }

    /**
     * Without a gate's word, what the proxy refused is denied, such as while no policy is in force. A gate that has let
     * something through may refuse it after a change of the policy. What is neither HTTP nor TLS is let through by ranges
     * alone.
     */
    private static boolean isDenied(AuditRecord record, @Nullable GateVerdict verdict, boolean other) {
        if (verdict == null) {
            return record.action == AuditRecord.Action.REJECT || record.action == AuditRecord.Action.ERROR;
        }
        return !verdict.isAllowed() || record.gateName.equals(record.rejectedBy) || (other && verdict.range() == null);
    }

    /** Nobody has refused it, and no transform has failed to judge it. A tunnel that nobody used was let through. */
    private static boolean isLetThrough(AuditRecord record, boolean unjudged) {
        return switch (record.action) {
            case ALLOW, STUB -> true;
            case REJECT -> !unjudged && record.endedBy.equals(SHUTDOWN) && record.rejectedBy == null;
            case ERROR, CLIENT_CANCEL ->
                !unjudged
                        && record.rejectedBy == null
                        && !mayNotBeDialled(record)
                        && !hasFailed(record.requestTransforms);
        };
    }

    /** The dial guard refuses an address once it is known, and the record calls that an error of the upstream. */
    private static boolean mayNotBeDialled(AuditRecord record) {
        String error = record.error;
        return error != null && (error.equals(DIAL_GUARD) || error.startsWith(DIAL_GUARD + ":"));
    }

    private static @Nullable Dial dial(AuditRecord record) {
        if (record.upstreamAddr != null || !record.via.isEmpty()) {
            return Dial.CONNECTED;
        }
        String error = record.error;
        boolean failed = record.action == AuditRecord.Action.ERROR
                && record.rejectedBy == null
                && error != null
                && error.startsWith(UPSTREAM);
        return failed ? Dial.FAILED : null;
    }

    private static boolean hasFailed(List<TransformTrace> traces) {
        for (TransformTrace trace : traces) {
            if (trace.action.equals("error") || trace.action.equals("reject")) {
                return true;
            }
        }
        return false;
    }

    private static Protocol protocol(AuditRecord record, boolean other) {
        if (other) {
            return Protocol.TCP;
        }
        if (record.secure || !record.sni.isEmpty()) {
            return Protocol.TLS;
        }
        boolean known = !record.method.isEmpty()
                || !(record.protocol.isEmpty() || record.protocol.equals(TCP) || record.protocol.equals(SOCKS5));
        return known ? Protocol.HTTP : Protocol.TCP;
    }

    /** Those of {@code secrets}; other transforms that note the same keys in the same form are included. */
    private static List<Replacement> replacements(AuditRecord record) {
        List<Replacement> all = List.of();
        for (TransformTrace trace : record.requestTransforms) {
            if (!trace.annotations.isEmpty()) {
                all = uses(trace.annotations.get("swapped"), all);
                all = uses(trace.annotations.get("injected"), all);
            }
        }
        return kept(all);
    }

    private static List<Replacement> uses(@Nullable Object annotation, List<Replacement> before) {
        if (!(annotation instanceof List<?> uses)) {
            return before;
        }
        List<Replacement> all = new ArrayList<>(before);
        for (Object use : uses) {
            if (use instanceof Map<?, ?> fields
                    && fields.get("secret") instanceof String secret
                    && fields.get("locations") instanceof List<?> locations) {
                for (Object location : locations) {
                    if (all.size() < MOST_REPLACEMENTS) {
                        all.add(new Replacement(
                                text(secret, LONGEST_SECRET), text(String.valueOf(location), LONGEST_LOCATION)));
                    }
                }
            }
        }
        return all;
    }

    /** The first ones, up to that for which there is no room. */
    private static List<Replacement> kept(List<Replacement> all) {
        int chars = 0;
        for (int i = 0; i < all.size(); i++) {
            chars += all.get(i).chars();
            if (chars > MOST_REPLACEMENT_CHARS) {
                return all.subList(0, i);
            }
        }
        return all;
    }

    private static @Nullable String range(GateVerdict verdict) {
        String range = verdict.range();
        return range == null || range.isEmpty() || range.length() > LONGEST_RANGE ? null : range;
    }

    /** A text of which every character can be kept, and no more than so many. */
    private static String text(String text, int longest) {
        if (text.length() <= longest && text.codePoints().noneMatch(ObservedEgress::isUnreadable)) {
            return text;
        }
        StringBuilder kept = new StringBuilder(Math.min(text.length(), longest));
        int at = 0;
        for (int count = 1; at < text.length(); count++) {
            int next = text.codePointAt(at);
            at += Character.charCount(next);
            if (count == longest && at < text.length()) {
                return kept.appendCodePoint(CUT).toString();
            }
            kept.appendCodePoint(isUnreadable(next) ? UNREADABLE : next);
        }
        return kept.toString();
    }

    private static boolean isUnreadable(int codePoint) {
        return Character.isISOControl(codePoint) || Character.getType(codePoint) == Character.SURROGATE;
    }
}
