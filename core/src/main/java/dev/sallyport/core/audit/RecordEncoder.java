package dev.sallyport.core.audit;

import dev.sallyport.core.audit.chain.ChainedLine;
import io.netty.util.NetUtil;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes records as lines of JSON, in the field order of docs/spec/decisions.md, section 14. Not thread-safe. */
final class RecordEncoder {

    private static final byte[] TIME = ascii("{\"time\":\"");
    private static final byte[] SEQ = ascii(",\"seq\":");
    private static final byte[] EXCHANGE = ascii(",\"exchange_id\":");
    private static final byte[] PREV = ascii(ChainedLine.PREV);
    private static final byte[] AUDIT = ascii(",\"audit\":{");
    private static final byte[] DURATION = ascii(",\"duration_ms\":");
    private static final byte[] REQUEST_BYTES = ascii(",\"request_bytes\":");
    private static final byte[] RESPONSE_BYTES = ascii(",\"response_bytes\":");
    private static final byte[] TUNNEL = ascii(",\"tunnel\":{\"target\":");
    private static final byte[] REJECTED_BY = ascii(",\"rejected_by\":");
    private static final byte[] UPGRADE_DROPPED = ascii(",\"upgrade_dropped\":");
    private static final byte[] STUBBED_BY = ascii(",\"stubbed_by\":");
    private static final byte[] MASKED_EDGES = ascii(",\"masked_edges\":");
    private static final byte[] ERROR = ascii(",\"error\":");
    private static final byte[] REQUEST_TRANSFORMS = ascii(",\"request_transforms\":[");
    private static final byte[] RESPONSE_TRANSFORMS = ascii(",\"response_transforms\":[");
    private static final byte[] TRACE_NAME = ascii("{\"name\":");
    private static final byte[] TRACE_ACTION = ascii(",\"action\":");
    private static final byte[] ANNOTATIONS = ascii(",\"annotations\":");
    private static final byte[] NULL = ascii("null");
    private static final byte[] TRUE = ascii("true");
    private static final byte[] FALSE = ascii("false");
    private static final byte[] HOST = ascii("\"host\":");
    private static final byte[] PORT = ascii("\"port\":");
    private static final byte[] METHOD = ascii("\"method\":");
    private static final byte[] PATH = ascii("\"path\":");
    private static final byte[] REMOTE_ADDR = ascii("\"remote_addr\":");
    private static final byte[] WORKLOAD = ascii("\"workload\":");
    private static final byte[] SNI = ascii("\"sni\":");
    private static final byte[] MODE = ascii("\"mode\":");
    private static final byte[] PROTOCOL = ascii("\"protocol\":");
    private static final byte[] UPSTREAM_ADDR = ascii("\"upstream_addr\":");
    private static final byte[] VIA = ascii("\"via\":");
    private static final byte[] ADDRESS_UNSEEN = ascii("\"address_unseen\":true,");

    private static final List<String> NAMED_GROUPS = List.of("mcp", "body_capture");

    private static final Map<AuditRecord.Level, byte[]> LEVELS = new EnumMap<>(AuditRecord.Level.class);
    private static final Map<AuditRecord.Action, byte[]> ACTIONS = new EnumMap<>(AuditRecord.Action.class);

    static {
        for (AuditRecord.Level level : AuditRecord.Level.values()) {
            LEVELS.put(level, ascii(first(level, "request")));
        }
        for (AuditRecord.Action action : AuditRecord.Action.values()) {
            ACTIONS.put(action, ascii("\"action\":\"" + action.text() + "\",\"status_code\":"));
        }
    }

    private static final long MILLIS_A_DAY = 86_400_000;
    private static final long NANOS_A_MICRO = 1_000;

    private final JsonBuffer out;
    private final @Nullable AuditChain chain;
    private long day = Long.MIN_VALUE;
    private byte[] date = {};

    RecordEncoder(JsonBuffer out) {
        this(out, null);
    }

    /** @param chain numbers the lines and links them; null for none */
    RecordEncoder(JsonBuffer out, @Nullable AuditChain chain) {
        this.out = out;
        this.chain = chain;
    }

    private static String first(AuditRecord.Level level, String msg) {
        return ",\"level\":\"" + level + "\",\"msg\":\"" + msg + "\",\"schema_version\":1";
    }

    /** Appends one line. When it throws, buffer and chain are as they were. */
    void encode(AuditRecord record) {
        int before = out.size();
        boolean done = false;
        try {
            line(record);
            end(before);
            done = true;
        } finally {
            if (!done) {
                out.truncate(before);
            }
        }
    }

    /** Appends what the chain says of itself. */
    void note(ChainNote note, long epochMillis) {
        int before = out.size();
        out.raw(TIME);
        time(epochMillis);
        out.raw(ascii(first(note.level(), note.msg())));
        number();
        group(note.msg(), note.fields());
        optional(ERROR, note.text());
        end(before);
    }

    private void line(AuditRecord record) {
        out.raw(TIME);
        time(record.startMillis);
        raw(LEVELS, record.level());
        number();
        out.raw(EXCHANGE).string(record.exchangeId);
        audit(record);
        if (record.tunnelTarget != null) {
            out.raw(TUNNEL).string(record.tunnelTarget).raw('}');
        }
        optional(REJECTED_BY, record.rejectedBy);
        optional(STUBBED_BY, record.stubbedBy);
        optional(ERROR, record.error);
        traces(REQUEST_TRANSFORMS, record.requestTransforms);
        traces(RESPONSE_TRANSFORMS, record.responseTransforms);
        if (record.maskedEdges > 0) {
            out.raw(MASKED_EDGES).number(record.maskedEdges);
        }
        optional(UPGRADE_DROPPED, record.upgradeDropped);
        for (Map.Entry<String, List<String>> list : record.notes.entrySet()) {
            out.raw(',').string(list.getKey()).raw(':');
            value(list.getValue());
        }
        groups(record.groups);
    }

    private void number() {
        if (chain != null) {
            out.raw(SEQ).number(chain.seq() + 1);
        }
    }

    /** Ends a line, and takes it into the chain. */
    private void end(int start) {
        if (chain == null) {
            out.raw('}').raw('\n');
            return;
        }
        out.raw(PREV).hex(chain.hash()).raw('"').raw('}').raw('\n');
        chain.append(out.array(), start, out.size());
    }

    /** The groups that the specification names come first, in its order. */
    private void groups(Map<String, Map<String, ?>> groups) {
        if (groups.isEmpty()) {
            return;
        }
        for (String name : NAMED_GROUPS) {
            Map<String, ?> fields = groups.get(name);
            if (fields != null) {
                group(name, fields);
            }
        }
        for (Map.Entry<String, Map<String, ?>> group : groups.entrySet()) {
            if (!NAMED_GROUPS.contains(group.getKey())) {
                group(group.getKey(), group.getValue());
            }
        }
    }

    private void group(String name, Map<String, ?> fields) {
        out.raw(',').string(name).raw(':');
        object(fields);
    }

    private void audit(AuditRecord record) {
        out.raw(AUDIT);
        member(HOST, record.host);
        out.raw(PORT).number(record.port).raw(',');
        member(METHOD, record.method);
        member(PATH, record.path);
        member(REMOTE_ADDR, record.remoteAddr);
        member(WORKLOAD, record.workload);
        member(SNI, record.sni);
        member(MODE, record.mode);
        member(PROTOCOL, record.protocol);
        member(UPSTREAM_ADDR, record.upstreamAddr);
        if (!record.via.isEmpty()) {
            member(VIA, record.via);
        }
        if (record.addressUnseen) {
            out.raw(ADDRESS_UNSEEN);
        }
        raw(ACTIONS, record.action);
        out.number(record.statusCode);
        out.raw(DURATION);
        millis(record.durationNanos);
        out.raw(REQUEST_BYTES).number(record.requestBytes);
        out.raw(RESPONSE_BYTES).number(record.responseBytes).raw('}');
    }

    private void traces(byte[] name, List<TransformTrace> traces) {
        out.raw(name);
        for (int i = 0; i < traces.size(); i++) {
            if (i > 0) {
                out.raw(',');
            }
            trace(traces.get(i));
        }
        out.raw(']');
    }

    private void trace(TransformTrace trace) {
        out.raw(TRACE_NAME)
                .string(trace.name())
                .raw(TRACE_ACTION)
                .string(trace.action)
                .raw(DURATION);
        millis(trace.durationNanos);
        optional(ERROR, trace.error);
        if (!trace.annotations.isEmpty()) {
            out.raw(ANNOTATIONS);
            object(trace.annotations);
        }
        out.raw('}');
    }

    private void member(byte[] name, String value) {
        out.raw(name).string(value).raw(',');
    }

    private void member(byte[] name, @Nullable InetSocketAddress address) {
        out.raw(name)
                .string(address == null ? "" : NetUtil.toSocketAddressString(address))
                .raw(',');
    }

    private void optional(byte[] name, @Nullable String value) {
        if (value != null) {
            out.raw(name).string(value);
        }
    }

    private void object(Map<String, ?> fields) {
        out.raw('{');
        boolean first = true;
        for (Map.Entry<String, ?> field : fields.entrySet()) {
            if (!first) {
                out.raw(',');
            }
            first = false;
            out.string(field.getKey()).raw(':');
            value(field.getValue());
        }
        out.raw('}');
    }

    private void value(Object value) {
        if (value instanceof String text) {
            out.string(text);
            return;
        }
        switch (value) {
            case Boolean truth -> out.raw(truth ? TRUE : FALSE);
            case Number number -> number(number);
            case Map<?, ?> map -> object(strings(map));
            case List<?> list -> {
                out.raw('[');
                for (int i = 0; i < list.size(); i++) {
                    if (i > 0) {
                        out.raw(',');
                    }
                    value(list.get(i));
                }
                out.raw(']');
            }
            default -> throw new IllegalStateException("audit value: " + value.getClass());
        }
    }

    @SuppressWarnings("unchecked") // AuditValues has copied it.
    private static Map<String, ?> strings(Map<?, ?> map) {
        return (Map<String, ?>) map;
    }

    /** JSON has no NaN or infinity (RFC 8259, 6), so they become null. */
    private void number(Number number) {
        switch (number) {
            case Integer i -> out.number(i);
            case Long l -> out.number(l);
            case Short s -> out.number(s);
            case Byte b -> out.number(b);
            case BigInteger big -> out.raw(ascii(big.toString()));
            case BigDecimal big -> out.raw(ascii(big.toString()));
            default -> {
                double value = number.doubleValue();
                out.raw(Double.isFinite(value) ? ascii(Double.toString(value)) : NULL);
            }
        }
    }

    /** Milliseconds with three decimals, to distinguish microseconds. */
    private void millis(long nanos) {
        long micros = Math.max(0, nanos) / NANOS_A_MICRO;
        out.number(micros / 1000).raw('.').padded((int) (micros % 1000), 3);
    }

    /** RFC 3339 in UTC with milliseconds. The date is formatted once a day. */
    private void time(long epochMillis) {
        long newDay = Math.floorDiv(epochMillis, MILLIS_A_DAY);
        if (newDay != day) {
            day = newDay;
            date = ascii(LocalDate.ofEpochDay(newDay) + "T");
        }
        int rest = (int) Math.floorMod(epochMillis, MILLIS_A_DAY);
        out.raw(date).padded(rest / 3_600_000, 2).raw(':').padded(rest / 60_000 % 60, 2);
        out.raw(':')
                .padded(rest / 1000 % 60, 2)
                .raw('.')
                .padded(rest % 1000, 3)
                .raw('Z')
                .raw('"');
    }

    private <K> void raw(Map<K, byte[]> texts, K key) {
        byte[] text = texts.get(key);
        if (text != null) {
            out.raw(text);
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
