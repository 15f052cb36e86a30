package dev.sallyport.core.audit;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The record of one exchange. The exchange fills it on its loop, then passes it to {@link AuditWriter#offer} and does
 * not touch it again. Setters return the record. In the JSON, {@code audit} always has all of its fields: an unknown
 * value is an empty string or 0.
 */
public final class AuditRecord {

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

    /** The names that a group may not take. */
    private static final Set<String> RESERVED = Set.of(
            "time",
            "level",
            "msg",
            "exchange_id",
            "audit",
            "tunnel",
            "rejected_by",
            "stubbed_by",
            "error",
            "request_transforms",
            "response_transforms");

    final String exchangeId;
    final long startMillis;
    String host = "";
    int port;
    String method = "";
    String path = "";

    @Nullable InetSocketAddress remoteAddr;

    String workload = "";
    String sni = "";
    String mode = "";
    String protocol = "";

    @Nullable InetSocketAddress upstreamAddr;

    Action action = Action.ERROR;
    int statusCode;
    long durationNanos;
    long requestBytes;
    long responseBytes;

    @Nullable String tunnelTarget;

    @Nullable String rejectedBy;

    @Nullable String stubbedBy;

    @Nullable String error;

    List<TransformTrace> requestTransforms = List.of();
    List<TransformTrace> responseTransforms = List.of();
    Map<String, Map<String, ?>> groups = Map.of();
    private boolean warn;
    private String endedBy = "";
    private String alert = "";

    /** The captured bytes to be returned to the gate when the record has been written. */
    long captureBytes;

    /** The place in the table of exchanges in progress. */
    int entry = InFlightTable.NONE;

    /** Whether it keeps that place without a slot. */
    boolean lasts;

    /** The slot, once the record has been offered. */
    @Nullable AuditSlot slot;

    private @Nullable AuditGate gate;

    /**
     * Starts a record. Until {@link #action(Action)} is called the exchange counts as failed.
     *
     * @param startMillis the wall clock when the exchange began
     */
    public AuditRecord(String exchangeId, long startMillis) {
        this.exchangeId = exchangeId;
        this.startMillis = startMillis;
    }

    /** The canonical name or address of the destination. */
    public AuditRecord host(String newHost) {
        host = newHost;
        return this;
    }

    /** The port of the destination. */
    public AuditRecord port(int newPort) {
        port = newPort;
        return this;
    }

    /** The method as the workload sent it. */
    public AuditRecord method(String newMethod) {
        method = newMethod;
        return this;
    }

    /** Path and query as the workload sent them: placeholders, never secrets. */
    public AuditRecord path(String newPath) {
        path = newPath;
        return this;
    }

    /** The client's address. */
    public AuditRecord remoteAddr(InetSocketAddress newRemoteAddr) {
        remoteAddr = newRemoteAddr;
        return this;
    }

    /** The workload whose traffic it is. */
    public AuditRecord workload(String newWorkload) {
        workload = newWorkload;
        return this;
    }

    /** The name in the ClientHello. */
    public AuditRecord sni(String newSni) {
        sni = newSni;
        return this;
    }

    /** {@code mitm} or {@code sni-only}. */
    public AuditRecord mode(String newMode) {
        mode = newMode;
        return this;
    }

    /** The protocol, such as {@code http/1.1}. */
    public AuditRecord protocol(String newProtocol) {
        protocol = newProtocol;
        return this;
    }

    /** The address that was dialled. */
    public AuditRecord upstreamAddr(InetSocketAddress newUpstreamAddr) {
        upstreamAddr = newUpstreamAddr;
        return this;
    }

    /** How the exchange ended. */
    public AuditRecord action(Action newAction) {
        action = newAction;
        return this;
    }

    /** The status code that the client got; 0 when it got none. */
    public AuditRecord statusCode(int newStatusCode) {
        statusCode = newStatusCode;
        return this;
    }

    /** The duration in nanoseconds. */
    public AuditRecord durationNanos(long newDurationNanos) {
        durationNanos = newDurationNanos;
        return this;
    }

    /** Bytes of request body that were received. */
    public AuditRecord requestBytes(long newRequestBytes) {
        requestBytes = newRequestBytes;
        return this;
    }

    /** Bytes of response body that were sent. */
    public AuditRecord responseBytes(long newResponseBytes) {
        responseBytes = newResponseBytes;
        return this;
    }

    /** The {@code host:port} of the tunnel that the exchange ran in. */
    public AuditRecord tunnelTarget(String newTunnelTarget) {
        tunnelTarget = newTunnelTarget;
        return this;
    }

    /** The transform that refused. */
    public AuditRecord rejectedBy(String transform) {
        rejectedBy = transform;
        return this;
    }

    /** The transform that answered. */
    public AuditRecord stubbedBy(String transform) {
        stubbedBy = transform;
        return this;
    }

    /** What went wrong; never a secret. */
    public AuditRecord error(String newError) {
        error = newError;
        return this;
    }

    /**
     * The connection ended before there was a request.
     *
     * @param code the code of the error
     * @param tlsAlert the alert of the client that ended it, or empty
     */
    public AuditRecord endedBeforeRequest(String code, String tlsAlert) {
        endedBy = code;
        alert = tlsAlert;
        return tlsAlert.isEmpty() ? this : group("tls", Map.of("alert", tlsAlert));
    }

    /** The code of the error that ended it before there was a request; otherwise empty. */
    public String endedBy() {
        return endedBy;
    }

    /** The alert with which the client ended its handshake; otherwise empty. */
    public String tlsAlert() {
        return alert;
    }

    /** Raises the level to WARN. */
    public AuditRecord warn() {
        warn = true;
        return this;
    }

    /** Sets a top-level group such as {@code mcp}. The fields are copied; a group set before is replaced. */
    public AuditRecord group(String name, Map<String, ?> fields) {
        if (RESERVED.contains(name)) {
            throw new IllegalArgumentException("group: " + name + " (expected: a name that the record does not use)");
        }
        if (groups.isEmpty()) {
            groups = new LinkedHashMap<>(4);
        }
        groups.put(name, AuditValues.copy(fields));
        return this;
    }

    /**
     * Starts the entry of a transform that processes the request. Entries keep the order in which they were started.
     */
    public TransformTrace requestTrace(String transform) {
        if (requestTransforms.isEmpty()) {
            requestTransforms = new ArrayList<>(4);
        }
        TransformTrace trace = new TransformTrace(this, transform);
        requestTransforms.add(trace);
        return trace;
    }

    /** Removes the entries of {@link #requestTrace} from this one on: the transforms are asked anew. */
    public AuditRecord forgetRequestTraces(int from) {
        if (from < requestTransforms.size()) {
            requestTransforms.subList(from, requestTransforms.size()).clear();
        }
        return this;
    }

    /** Starts the entry of a transform that processes the response. */
    public TransformTrace responseTrace(String transform) {
        if (responseTransforms.isEmpty()) {
            responseTransforms = new ArrayList<>(4);
        }
        TransformTrace trace = new TransformTrace(this, transform);
        responseTransforms.add(trace);
        return trace;
    }

    /** Sets the gate from which {@link #reserve} takes room. */
    public AuditRecord capturesFrom(AuditGate newGate) {
        gate = newGate;
        return this;
    }

    /** Takes room for captured bytes until the record has been written; returns false when there is none. */
    boolean reserve(int bytes) {
        if (gate == null || !gate.tryCapture(bytes)) {
            return false;
        }
        captureBytes += bytes;
        return true;
    }

    // For listeners.

    /** The identifier of the exchange. */
    public String exchangeId() {
        return exchangeId;
    }

    /** When it began. */
    public Instant started() {
        return Instant.ofEpochMilli(startMillis);
    }

    /** The canonical name or address of the destination; empty when it is not known. */
    public String host() {
        return host;
    }

    /** The port of the destination; 0 when it is not known. */
    public int port() {
        return port;
    }

    /** The method as the workload sent it; empty when it is not known. */
    public String method() {
        return method;
    }

    /** Path and query as the workload sent them: placeholders, never secrets. Empty when they are not known. */
    public String path() {
        return path;
    }

    /** The client's address; null when there is none. */
    public @Nullable InetSocketAddress remoteAddr() {
        return remoteAddr;
    }

    /** The workload whose traffic it is; empty for none in particular. */
    public String workload() {
        return workload;
    }

    /** The name in the ClientHello; empty without one. */
    public String sni() {
        return sni;
    }

    /** {@code mitm} or {@code sni-only}. */
    public String mode() {
        return mode;
    }

    /** The address that was dialled; null when none was. */
    public @Nullable InetSocketAddress upstreamAddr() {
        return upstreamAddr;
    }

    /** The {@code host:port} of the tunnel that the exchange ran in; null when it ran in none. */
    public @Nullable String tunnelTarget() {
        return tunnelTarget;
    }

    /** The transform that answered; null when none did. */
    public @Nullable String stubbedBy() {
        return stubbedBy;
    }

    /** What went wrong; null when nothing did. */
    public @Nullable String error() {
        return error;
    }

    /** How the exchange ended, as set so far. */
    public Action action() {
        return action;
    }

    /** The protocol; empty when it is not known. */
    public String protocol() {
        return protocol;
    }

    /** The status code that the client got; 0 when it got none. */
    public int statusCode() {
        return statusCode;
    }

    /** The duration. */
    public Duration duration() {
        return Duration.ofNanos(durationNanos);
    }

    /** Bytes of request body that were received. */
    public long requestBytes() {
        return requestBytes;
    }

    /** Bytes of response body that were sent. */
    public long responseBytes() {
        return responseBytes;
    }

    /** The transform that refused; null when none did. */
    public @Nullable String rejectedBy() {
        return rejectedBy;
    }

    /** The severity, as it stands. */
    public Level level() {
        return switch (action) {
            case ERROR -> Level.ERROR;
            case REJECT -> Level.WARN;
            case ALLOW, STUB, CLIENT_CANCEL -> warn ? Level.WARN : Level.INFO;
        };
    }
}
