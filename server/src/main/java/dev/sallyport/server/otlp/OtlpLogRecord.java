package dev.sallyport.server.otlp;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.Value;
import io.opentelemetry.api.logs.Severity;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.logs.data.Body;
import io.opentelemetry.sdk.logs.data.LogRecordData;
import io.opentelemetry.sdk.resources.Resource;

/**
 * A log record as the SDK's exporter takes it.
 *
 * @param text the level in our words
 */
record OtlpLogRecord(
        Resource resource,
        InstrumentationScopeInfo scope,
        long epochNanos,
        long observedEpochNanos,
        SpanContext span,
        Severity severity,
        String text,
        String body,
        Attributes attributes)
        implements LogRecordData {

    @Override
    public Resource getResource() {
        return resource;
    }

    @Override
    public InstrumentationScopeInfo getInstrumentationScopeInfo() {
        return scope;
    }

    @Override
    public long getTimestampEpochNanos() {
        return epochNanos;
    }

    @Override
    public long getObservedTimestampEpochNanos() {
        return observedEpochNanos;
    }

    @Override
    public SpanContext getSpanContext() {
        return span;
    }

    @Override
    public Severity getSeverity() {
        return severity;
    }

    @Override
    public String getSeverityText() {
        return text;
    }

    @Override
    @Deprecated
    public Body getBody() {
        return Body.string(body);
    }

    @Override
    public Value<?> getBodyValue() {
        return Value.of(body);
    }

    @Override
    public Attributes getAttributes() {
        return attributes;
    }

    @Override
    public int getTotalAttributeCount() {
        return attributes.size();
    }
}
