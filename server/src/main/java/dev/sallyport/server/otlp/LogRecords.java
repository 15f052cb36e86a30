package dev.sallyport.server.otlp;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.common.KeyValue;
import io.opentelemetry.api.common.Value;
import io.opentelemetry.api.logs.Severity;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.resources.Resource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes log records (docs/spec/decisions.md, section 14: the same names, severity alike). Of an audit record {@code time},
 * {@code level} and {@code msg} become time, severity and body; every other member is an attribute with the name, and the
 * structure, that it has in the JSON.
 */
final class LogRecords {

    private static final String AUDIT_SCOPE = "dev.sallyport.audit";
    private static final String LOG_SCOPE = "dev.sallyport.log";
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    /** The encoder has bounded them. */
    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private final Resource resource;
    private final InstrumentationScopeInfo audit = InstrumentationScopeInfo.create(AUDIT_SCOPE);
    private final InstrumentationScopeInfo log = InstrumentationScopeInfo.create(LOG_SCOPE);

    LogRecords(Resource resource) {
        this.resource = resource;
    }

    OtlpLogRecord of(LogItem item) {
        return switch (item) {
            case LogItem.Audit record -> audit(record);
            case LogItem.Line line -> line(line);
        };
    }

    private OtlpLogRecord line(LogItem.Line line) {
        AttributesBuilder attributes = Attributes.builder().put("logger", line.logger());
        LogItem.Fault fault = line.fault();
        if (fault != null) {
            attributes
                    .put("exception.type", fault.type())
                    .put("exception.message", fault.message())
                    .put("exception.stacktrace", fault.trace());
        }
        long nanos = line.millis() * NANOS_PER_MILLI;
        return new OtlpLogRecord(
                resource,
                log,
                nanos,
                nanos,
                SpanContext.getInvalid(),
                severity(line.level()),
                line.level(),
                line.message(),
                attributes.build());
    }

    private OtlpLogRecord audit(LogItem.Audit record) {
        long time = record.observedMillis() * NANOS_PER_MILLI;
        String level = "";
        String body = "";
        AttributesBuilder attributes = Attributes.builder();
        try (JsonParser in = JSON.createParser(record.json())) {
            in.nextToken();
            while (in.nextToken() == JsonToken.FIELD_NAME) {
                String name = in.currentName();
                in.nextToken();
                switch (name) {
                    case "time" -> time = nanos(in.getText());
                    case "level" -> level = in.getText();
                    case "msg" -> body = in.getText();
                    default -> put(attributes, name, in);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new OtlpLogRecord(
                resource,
                audit,
                time,
                record.observedMillis() * NANOS_PER_MILLI,
                record.span(),
                severity(level),
                level,
                body,
                attributes.build());
    }

    private static long nanos(String time) {
        Instant instant = Instant.parse(time);
        return instant.getEpochSecond() * NANOS_PER_SECOND + instant.getNano();
    }

    private static void put(AttributesBuilder attributes, String name, JsonParser in) throws IOException {
        switch (in.currentToken()) {
            case VALUE_STRING -> attributes.put(AttributeKey.stringKey(name), in.getText());
            case VALUE_TRUE, VALUE_FALSE -> attributes.put(AttributeKey.booleanKey(name), in.getBooleanValue());
            case START_OBJECT, START_ARRAY -> attributes.put(AttributeKey.valueKey(name), value(in));
            default -> {
                Value<?> value = value(in);
                if (value.getValue() instanceof Long number) {
                    attributes.put(AttributeKey.longKey(name), number);
                } else {
                    attributes.put(AttributeKey.valueKey(name), value);
                }
            }
        }
    }

    private static Value<?> value(JsonParser in) throws IOException {
        return switch (in.currentToken()) {
            case START_OBJECT -> {
                List<KeyValue> members = new ArrayList<>();
                while (in.nextToken() == JsonToken.FIELD_NAME) {
                    String name = in.currentName();
                    in.nextToken();
                    members.add(KeyValue.of(name, value(in)));
                }
                yield Value.of(members.toArray(KeyValue[]::new));
            }
            case START_ARRAY -> {
                List<Value<?>> elements = new ArrayList<>();
                while (in.nextToken() != JsonToken.END_ARRAY) {
                    elements.add(value(in));
                }
                yield Value.of(elements);
            }
            case VALUE_TRUE, VALUE_FALSE -> Value.of(in.getBooleanValue());
            case VALUE_NUMBER_INT -> whole(in);
            case VALUE_NUMBER_FLOAT -> Value.of(in.getDoubleValue());
            case VALUE_NULL -> Value.empty();
            default -> Value.of(in.getText());
        };
    }

    /** OTLP has no numbers beyond 64 bits: these are texts. */
    private static Value<?> whole(JsonParser in) throws IOException {
        return in.getNumberType() == JsonParser.NumberType.BIG_INTEGER
                ? Value.of(in.getText())
                : Value.of(in.getLongValue());
    }

    private static Severity severity(String level) {
        return switch (level) {
            case "ERROR" -> Severity.ERROR;
            case "WARN" -> Severity.WARN;
            case "DEBUG" -> Severity.DEBUG;
            case "TRACE" -> Severity.TRACE;
            default -> Severity.INFO;
        };
    }
}
