package dev.sallyport.core.audit;

import dev.sallyport.spi.GateVerdict;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A record that an exchange fills on its loop, then passes to {@link AuditWriter#offer} and does not touch again.
 * Setters return the record.
 */
public final class MutableAuditRecord extends AuditRecord {

    /** The list of fields that were not forwarded because they ask for another method or path. */
    public static final String DROPPED_OVERRIDE = "dropped_override";

    /** The list of fields that were not forwarded because a range of a content that is searched may split a secret. */
    public static final String DROPPED_RANGE = "dropped_range";

    /** The list of what was put right in what the origin sent, by codes. */
    public static final String TOLERATED = "tolerated";

    /** The names that a group may not take. */
    private static final Set<String> RESERVED = Set.of(
            "time",
            "level",
            "msg",
            "schema_version",
            "seq",
            "prev",
            "exchange_id",
            "audit",
            "tunnel",
            "rejected_by",
            "stubbed_by",
            "error",
            "request_transforms",
            "response_transforms",
            "masked_edges",
            DROPPED_OVERRIDE,
            DROPPED_RANGE,
            TOLERATED,
            "upgrade_dropped");

    /**
     * Starts a record. Until {@link #action(Action)} is called the exchange counts as failed.
     *
     * @param startMillis the wall clock when the exchange began
     */
    public MutableAuditRecord(String exchangeId, long startMillis) {
        super(exchangeId, startMillis);
    }

    /** The canonical name or address of the destination. */
    public MutableAuditRecord host(String newHost) {
        host = newHost;
        return this;
    }

    /** The port of the destination. */
    public MutableAuditRecord port(int newPort) {
        port = newPort;
        return this;
    }

    /** The method as the workload sent it. */
    public MutableAuditRecord method(String newMethod) {
        method = newMethod;
        return this;
    }

    /** Path and query as the workload sent them: placeholders, never secrets. */
    public MutableAuditRecord path(String newPath) {
        path = newPath;
        return this;
    }

    /** The client's address. */
    public MutableAuditRecord remoteAddr(InetSocketAddress newRemoteAddr) {
        remoteAddr = newRemoteAddr;
        return this;
    }

    /** The workload whose traffic it is. */
    public MutableAuditRecord workload(String newWorkload) {
        workload = newWorkload;
        return this;
    }

    /** Whether nothing told whose caller it was; for listeners, not in the JSON. */
    public MutableAuditRecord untold(boolean newUntold) {
        untold = newUntold;
        return this;
    }

    /** The name in the ClientHello. */
    public MutableAuditRecord sni(String newSni) {
        sni = newSni;
        return this;
    }

    /** {@code mitm} or {@code sni-only}. */
    public MutableAuditRecord mode(String newMode) {
        mode = newMode;
        return this;
    }

    /** The protocol, such as {@code http/1.1}. */
    public MutableAuditRecord protocol(String newProtocol) {
        protocol = newProtocol;
        return this;
    }

    /** The address that was dialled, or that a parent proxy was asked for. */
    public MutableAuditRecord upstreamAddr(InetSocketAddress newUpstreamAddr) {
        upstreamAddr = newUpstreamAddr;
        return this;
    }

    /**
     * The parent proxy that the connection went through.
     *
     * @param unseen whether it found the origin's address, so that nothing here could judge it
     */
    public MutableAuditRecord via(String parent, boolean unseen) {
        via = parent;
        addressUnseen = unseen;
        return this;
    }

    /** How the exchange ended. */
    public MutableAuditRecord action(Action newAction) {
        action = newAction;
        return this;
    }

    /** The status code that the client got; 0 when it got none. */
    public MutableAuditRecord statusCode(int newStatusCode) {
        statusCode = newStatusCode;
        return this;
    }

    /** The duration in nanoseconds. */
    public MutableAuditRecord durationNanos(long newDurationNanos) {
        durationNanos = newDurationNanos;
        return this;
    }

    /** How long the request waited for a connection to its origin, in nanoseconds. Not in the JSON. */
    public MutableAuditRecord upstreamWaitNanos(long newUpstreamWaitNanos) {
        upstreamWaitNanos = newUpstreamWaitNanos;
        return this;
    }

    /** How long the origin took until its final head, once it had a connection, in nanoseconds. Not in the JSON. */
    public MutableAuditRecord upstreamResponseNanos(long newUpstreamResponseNanos) {
        upstreamResponseNanos = newUpstreamResponseNanos;
        return this;
    }

    /** Bytes of request body that were received. */
    public MutableAuditRecord requestBytes(long newRequestBytes) {
        requestBytes = newRequestBytes;
        return this;
    }

    /** Bytes of response body that were sent. */
    public MutableAuditRecord responseBytes(long newResponseBytes) {
        responseBytes = newResponseBytes;
        return this;
    }

    /** The {@code host:port} of the tunnel that the exchange ran in. */
    public MutableAuditRecord tunnelTarget(String newTunnelTarget) {
        tunnelTarget = newTunnelTarget;
        return this;
    }

    /** The transform that refused. */
    public MutableAuditRecord rejectedBy(String transform) {
        rejectedBy = transform;
        return this;
    }

    /** The transform that answered. */
    public MutableAuditRecord stubbedBy(String transform) {
        stubbedBy = transform;
        return this;
    }

    /** What went wrong; never a secret. */
    public MutableAuditRecord error(String newError) {
        error = newError;
        return this;
    }

    /**
     * The connection ended before there was a request.
     *
     * @param code the code of the error
     * @param tlsAlert the alert of the client that ended it, or empty
     */
    public MutableAuditRecord endedBeforeRequest(String code, String tlsAlert) {
        endedBy = code;
        alert = tlsAlert;
        return tlsAlert.isEmpty() ? this : group("tls", Map.of("alert", tlsAlert));
    }

    /** Whether the destination is spoken to over TLS; for listeners, not in the JSON. */
    public MutableAuditRecord secure(boolean newSecure) {
        secure = newSecure;
        return this;
    }

    /** The workload's {@code traceparent}, as it was sent; for listeners, not in the JSON. */
    public MutableAuditRecord traceParent(String newTraceParent) {
        traceParent = newTraceParent;
        return this;
    }

    /** The identifier of the exchange's span, where the origin has been told one; for listeners, not in the JSON. */
    public MutableAuditRecord spanId(String newSpanId) {
        spanId = newSpanId;
        return this;
    }

    /** What a gate says of the destination; for listeners, not in the JSON. */
    public MutableAuditRecord verdict(String gate, GateVerdict verdict) {
        gateName = gate;
        gateVerdict = verdict;
        return this;
    }

    /** Raises the level to WARN. */
    public MutableAuditRecord warn() {
        warn = true;
        return this;
    }

    /** The request asked for a switch to this protocol, which was not forwarded. */
    public MutableAuditRecord upgradeDropped(String protocol) {
        upgradeDropped = protocol;
        return this;
    }

    /** Adds a text to a top-level list such as {@link #DROPPED_OVERRIDE}, once. */
    public MutableAuditRecord note(String list, String text) {
        if (notes.isEmpty()) {
            notes = new LinkedHashMap<>(2);
        }
        List<String> texts = notes.computeIfAbsent(list, name -> new ArrayList<>(2));
        if (!texts.contains(text)) {
            texts.add(text);
        }
        return this;
    }

    /** What may be a piece of a value was masked at another edge of a part of a content. */
    public MutableAuditRecord edgeMasked() {
        maskedEdges++;
        return this;
    }

    /** Sets a top-level group such as {@code mcp}. The fields are copied; a group set before is replaced. */
    public MutableAuditRecord group(String name, Map<String, ?> fields) {
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
        return requestTrace(new TransformId(transform, ""));
    }

    /** As {@link #requestTrace(String)}; allocates less. */
    public TransformTrace requestTrace(TransformId transform) {
        if (requestTransforms.isEmpty()) {
            requestTransforms = new ArrayList<>(4);
        }
        TransformTrace trace = new TransformTrace(this, transform);
        requestTransforms.add(trace);
        return trace;
    }

    /** Removes the entries of {@link #requestTrace} from this one on: the transforms are asked anew. */
    public MutableAuditRecord forgetRequestTraces(int from) {
        if (from < requestTransforms.size()) {
            requestTransforms.subList(from, requestTransforms.size()).clear();
        }
        return this;
    }

    /** Starts the entry of a transform that processes the response. */
    public TransformTrace responseTrace(String transform) {
        return responseTrace(new TransformId(transform, ""));
    }

    /** As {@link #responseTrace(String)}; allocates less. */
    public TransformTrace responseTrace(TransformId transform) {
        if (responseTransforms.isEmpty()) {
            responseTransforms = new ArrayList<>(4);
        }
        TransformTrace trace = new TransformTrace(this, transform);
        responseTransforms.add(trace);
        return trace;
    }

    /** The last entry of this transform for the request; null when it has none. */
    public @Nullable TransformTrace lastRequestTrace(TransformId transform) {
        return last(requestTransforms, transform);
    }

    /** The last entry of this transform for the response; null when it has none. */
    public @Nullable TransformTrace lastResponseTrace(TransformId transform) {
        return last(responseTransforms, transform);
    }

    private static @Nullable TransformTrace last(List<TransformTrace> traces, TransformId transform) {
        for (int i = traces.size() - 1; i >= 0; i--) {
            if (traces.get(i).isOf(transform)) {
                return traces.get(i);
            }
        }
        return null;
    }

    /** Sets the gate from which {@link #reserve} takes room. */
    public MutableAuditRecord capturesFrom(AuditGate newGate) {
        captures = newGate.captures();
        return this;
    }
}
