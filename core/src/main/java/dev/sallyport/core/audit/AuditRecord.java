package dev.sallyport.core.audit;

import dev.sallyport.spi.GateVerdict;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The record of one exchange, as {@link AuditListener}s read it; the exchange fills a {@link MutableAuditRecord}. In the
 * JSON, {@code audit} always has all of its fields: an unknown value is an empty string or 0.
 */
public abstract sealed class AuditRecord permits MutableAuditRecord {

    /** How an exchange ended. */
    public enum Action {
        /** It was forwarded and answered by the upstream. */
        ALLOW,
        /** Policy refused it. */
        REJECT,
        /** A transform answered it. */
        STUB,
        /** It failed. */
        ERROR,
        /** The client went away. */
        CLIENT_CANCEL;

        private final String text = name().toLowerCase(Locale.ROOT);

        /** The name in the JSON. */
        public String text() {
            return text;
        }
    }

    /** The severity of a record. */
    public enum Level {
        /** Nothing out of the ordinary. */
        INFO,
        /** Refused, or would have been refused. */
        WARN,
        /** Failed. */
        ERROR
    }

    private static final long UNKNOWN = -1;
    private static final long NANOS_PER_MILLI = 1_000_000;

    final String exchangeId;
    final long startMillis;
    String host = "";
    int port;
    String method = "";
    String path = "";

    @Nullable InetSocketAddress remoteAddr;

    String workload = "";
    boolean untold;
    String sni = "";
    String mode = "";
    String protocol = "";

    @Nullable InetSocketAddress upstreamAddr;

    String via = "";
    boolean addressUnseen;

    Action action = Action.ERROR;
    int statusCode;
    long durationNanos;
    long requestBytes;
    long responseBytes;
    int maskedEdges;
    long upstreamWaitNanos = UNKNOWN;
    long upstreamResponseNanos = UNKNOWN;

    @Nullable String tunnelTarget;

    @Nullable String rejectedBy;

    @Nullable String stubbedBy;

    @Nullable String error;

    @Nullable String upgradeDropped;

    List<TransformTrace> requestTransforms = List.of();
    List<TransformTrace> responseTransforms = List.of();
    Map<String, Map<String, ?>> groups = Map.of();
    Map<String, List<String>> notes = Map.of();
    boolean warn;
    boolean secure;

    @Nullable GateVerdict gateVerdict;

    String gateName = "";

    String traceParent = "";
    String spanId = "";
    String endedBy = "";
    String alert = "";

    /** The captured bytes to be given back when the record has been written. */
    long captureBytes;

    /** The place in the table of exchanges in progress. */
    int entry = InFlightTable.NONE;

    /** Whether it keeps that place without a slot. */
    boolean lasts;

    /** The slot, once the record has been offered. */
    @Nullable AuditSlot slot;

    @Nullable CaptureBudget captures;

    AuditRecord(String exchangeId, long startMillis) {
        this.exchangeId = exchangeId;
        this.startMillis = startMillis;
    }

    /** The code of the error that ended it before there was a request; otherwise empty. */
    public final String endedBy() {
        return endedBy;
    }

    /** The alert with which the client ended its handshake; otherwise empty. */
    public final String tlsAlert() {
        return alert;
    }

    /** Takes room for captured bytes until the record has been written; returns false when there is none. */
    final boolean reserve(int bytes) {
        if (captures == null || !captures.tryTake(bytes)) {
            return false;
        }
        captureBytes += bytes;
        return true;
    }

    /** The identifier of the exchange. */
    public final String exchangeId() {
        return exchangeId;
    }

    /** When it began. */
    public final Instant started() {
        return Instant.ofEpochMilli(startMillis);
    }

    /** The canonical name or address of the destination; empty when it is not known. */
    public final String host() {
        return host;
    }

    /** The port of the destination; 0 when it is not known. */
    public final int port() {
        return port;
    }

    /** The method as the workload sent it; empty when it is not known. */
    public final String method() {
        return method;
    }

    /** Path and query as the workload sent them: placeholders, never secrets. Empty when they are not known. */
    public final String path() {
        return path;
    }

    /** The client's address; null when there is none. */
    public final @Nullable InetSocketAddress remoteAddr() {
        return remoteAddr;
    }

    /** The workload whose traffic it is; empty for none in particular. */
    public final String workload() {
        return workload;
    }

    /** Whether nothing told whose caller it was, so that it is nobody's traffic, and no account's. Not in the JSON. */
    public final boolean isUntold() {
        return untold;
    }

    /** The name in the ClientHello; empty without one. */
    public final String sni() {
        return sni;
    }

    /** {@code mitm} or {@code sni-only}. */
    public final String mode() {
        return mode;
    }

    /** The address that was dialled; null when none was. */
    public final @Nullable InetSocketAddress upstreamAddr() {
        return upstreamAddr;
    }

    /** The {@code host:port} of the tunnel that the exchange ran in; null when it ran in none. */
    public final @Nullable String tunnelTarget() {
        return tunnelTarget;
    }

    /** The transform that answered; null when none did. */
    public final @Nullable String stubbedBy() {
        return stubbedBy;
    }

    /** Whether the destination is spoken to over TLS. */
    public final boolean secure() {
        return secure;
    }

    /** What the last gate that was asked said of the destination; null when none was. Not in the JSON. */
    public final @Nullable GateVerdict gateVerdict() {
        return gateVerdict;
    }

    /** The name of that gate; empty when none was asked. */
    public final String gateName() {
        return gateName;
    }

    /** The workload's {@code traceparent}, as it was sent; empty when there was none. */
    public final String traceParent() {
        return traceParent;
    }

    /** The identifier of the exchange's span, 16 hexadecimal digits; empty when the origin was told none. */
    public final String spanId() {
        return spanId;
    }

    /** What went wrong; null when nothing did. */
    public final @Nullable String error() {
        return error;
    }

    /** How the exchange ended, as set so far. */
    public final Action action() {
        return action;
    }

    /** The protocol; empty when it is not known. */
    public final String protocol() {
        return protocol;
    }

    /** The status code that the client got; 0 when it got none. */
    public final int statusCode() {
        return statusCode;
    }

    /** The duration. */
    public final Duration duration() {
        return Duration.ofNanos(durationNanos);
    }

    /** Bytes of request body that were received. */
    public final long requestBytes() {
        return requestBytes;
    }

    /** Bytes of response body that were sent. */
    public final long responseBytes() {
        return responseBytes;
    }

    /** The transform that refused; null when none did. */
    public final @Nullable String rejectedBy() {
        return rejectedBy;
    }

    /** When it ended, in milliseconds since 1970. */
    public final long endedMillis() {
        return startMillis + durationNanos / NANOS_PER_MILLI;
    }

    /** The duration in nanoseconds. */
    public final long durationNanos() {
        return durationNanos;
    }

    /** How long the request waited for a connection to its origin, in nanoseconds; negative when it got none. */
    public final long upstreamWaitNanos() {
        return upstreamWaitNanos;
    }

    /** How long the origin took until its final head, in nanoseconds; negative when none came. */
    public final long upstreamResponseNanos() {
        return upstreamResponseNanos;
    }

    /** The transforms that have processed the request, in the order in which they were asked. */
    public final List<TransformTrace> requestTraces() {
        return Collections.unmodifiableList(requestTransforms);
    }

    /** The transforms that have processed the response, in the order in which they were asked. */
    public final List<TransformTrace> responseTraces() {
        return Collections.unmodifiableList(responseTransforms);
    }

    /** At how many edges of a part of a content a piece of a value may have been masked. */
    public final int maskedEdges() {
        return maskedEdges;
    }

    /** The top-level lists, by name. */
    public final Map<String, List<String>> notes() {
        return Collections.unmodifiableMap(notes);
    }

    /** The top-level groups, by name. */
    public final Map<String, Map<String, ?>> groups() {
        return Collections.unmodifiableMap(groups);
    }

    /** The severity, as it stands. */
    public final Level level() {
        return switch (action) {
            case ERROR -> Level.ERROR;
            case REJECT -> Level.WARN;
            case ALLOW, STUB, CLIENT_CANCEL -> warn ? Level.WARN : Level.INFO;
        };
    }
}
