package dev.sallyport.server.otlp;

import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.core.http.TraceParent;
import io.netty.util.NetUtil;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.IdGenerator;
import io.opentelemetry.sdk.trace.data.StatusData;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.opentelemetry.sdk.trace.samplers.SamplingDecision;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes the span of an exchange from its audit record, once that has been written: event loops have nothing to do with it.
 * The parent is the workload's span; without one the span begins a trace. Names are those of OpenTelemetry's conventions
 * for HTTP clients, {@code sallyport.*} what these lack.
 */
final class Spans {

    private static final String SCOPE = "dev.sallyport.exchange";
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    /** A span without its texts. */
    private static final int OVERHEAD = 1200;

    private static final int FIRST_ERROR = 400;
    private static final int HTTP_PORT = 80;
    private static final int HTTPS_PORT = 443;

    /** The methods that the conventions know. */
    private static final Set<String> METHODS =
            Set.of("GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH");

    private final Resource resource;
    private final Sampler sampler;
    private final Consumer<ExchangeSpan> to;
    private final InstrumentationScopeInfo scope = InstrumentationScopeInfo.create(SCOPE);
    private final IdGenerator ids = IdGenerator.random();

    Spans(Resource resource, Sampler sampler, Consumer<ExchangeSpan> to) {
        this.resource = resource;
        this.sampler = sampler;
        this.to = to;
    }

    /** Makes a span, and passes it on if the sampler wants it. */
    SpanContext of(AuditRecord record) {
        SpanContext parent = parent(record.traceParent());
        String traceId = parent.isValid() ? parent.getTraceId() : ids.generateTraceId();
        String name = name(record.method());
        Attributes attributes = attributes(record);
        Context context = parent.isValid() ? Context.root().with(Span.wrap(parent)) : Context.root();
        boolean recorded = sampler.shouldSample(context, traceId, name, SpanKind.CLIENT, attributes, List.of())
                        .getDecision()
                == SamplingDecision.RECORD_AND_SAMPLE;
        String spanId = record.spanId().isEmpty() ? ids.generateSpanId() : record.spanId();
        SpanContext span = SpanContext.create(
                traceId, spanId, recorded ? TraceFlags.getSampled() : TraceFlags.getDefault(), TraceState.getDefault());
        if (recorded) {
            Instant started = record.started();
            long start = started.getEpochSecond() * NANOS_PER_SECOND + started.getNano();
            to.accept(new ExchangeSpan(
                    resource,
                    scope,
                    span,
                    parent,
                    name,
                    start,
                    start + record.duration().toNanos(),
                    status(record),
                    attributes,
                    OVERHEAD + 2 * record.path().length()));
        }
        return span;
    }

    private static SpanContext parent(String field) {
        TraceParent parent = field.isEmpty() ? null : TraceParent.parse(field);
        return parent == null
                ? SpanContext.getInvalid()
                : SpanContext.createFromRemoteParent(
                        parent.traceId(),
                        parent.parentId(),
                        TraceFlags.fromByte((byte) parent.flags()),
                        TraceState.getDefault());
    }

    private static String name(String method) {
        if (method.isEmpty()) {
            return "tunnel";
        }
        return METHODS.contains(method) ? method : "HTTP";
    }

    private static StatusData status(AuditRecord record) {
        if (record.action() == AuditRecord.Action.ERROR || record.statusCode() >= FIRST_ERROR) {
            String why = record.error();
            return why == null ? StatusData.error() : StatusData.create(StatusCode.ERROR, why);
        }
        return StatusData.unset();
    }

    private static Attributes attributes(AuditRecord record) {
        AttributesBuilder to = Attributes.builder();
        String method = record.method();
        if (METHODS.contains(method)) {
            to.put("http.request.method", method);
        } else if (!method.isEmpty()) {
            to.put("http.request.method", "_OTHER").put("http.request.method_original", method);
        }
        put(to, "server.address", record.host());
        if (record.port() > 0) {
            to.put("server.port", record.port());
        }
        put(to, "url.full", url(record));
        if (record.statusCode() > 0) {
            to.put("http.response.status_code", record.statusCode());
        }
        put(to, "error.type", errorType(record));
        put(to, "network.protocol.version", version(record.protocol()));
        address(to, "network.peer", record.upstreamAddr());
        address(to, "client", record.remoteAddr());
        to.put("http.request.body.size", record.requestBytes());
        to.put("http.response.body.size", record.responseBytes());
        to.put("sallyport.exchange_id", record.exchangeId());
        to.put("sallyport.action", record.action().text());
        put(to, "sallyport.workload", record.workload());
        put(to, "sallyport.rejected_by", record.rejectedBy());
        put(to, "sallyport.stubbed_by", record.stubbedBy());
        return to.build();
    }

    private static void put(AttributesBuilder to, String name, @Nullable String value) {
        if (value != null && !value.isEmpty()) {
            to.put(name, value);
        }
    }

    private static void address(AttributesBuilder to, String name, @Nullable InetSocketAddress address) {
        if (address != null && address.getAddress() != null) {
            to.put(name + ".address", NetUtil.toAddressString(address.getAddress()));
            to.put(name + ".port", address.getPort());
        }
    }

    /** As the workload sent it: with placeholders, never with secrets. */
    private static String url(AuditRecord record) {
        if (!record.path().startsWith("/") || record.host().isEmpty()) {
            return "";
        }
        String host = record.host().indexOf(':') < 0 ? record.host() : "[" + record.host() + "]";
        int usual = record.secure() ? HTTPS_PORT : HTTP_PORT;
        return (record.secure() ? "https://" : "http://")
                + host
                + (record.port() == usual ? "" : ":" + record.port())
                + record.path();
    }

    /** A status, or the code with which an error begins. */
    private static String errorType(AuditRecord record) {
        if (record.statusCode() >= FIRST_ERROR) {
            return Integer.toString(record.statusCode());
        }
        if (record.action() != AuditRecord.Action.ERROR) {
            return "";
        }
        String error = record.error();
        if (error == null) {
            return "_OTHER";
        }
        int colon = error.indexOf(':');
        String code = colon < 0 ? error : error.substring(0, colon);
        return code.matches("[a-z0-9_]+") ? code : "_OTHER";
    }

    private static String version(String protocol) {
        return switch (protocol) {
            case "http/1.1" -> "1.1";
            case "http/1.0" -> "1.0";
            case "h2" -> "2";
            default -> "";
        };
    }
}
