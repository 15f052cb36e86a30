package dev.sallyport.server.otlp;

import ch.qos.logback.classic.LoggerContext;
import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.core.parent.Parents;
import dev.sallyport.server.Failure;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.sdk.logs.data.LogRecordData;
import io.opentelemetry.sdk.logs.export.LogRecordExporter;
import io.opentelemetry.sdk.metrics.SdkMeterProviderBuilder;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Exports what the environment names, see {@link Exports}. */
final class OtlpExports implements Exports {

    private static final Logger LOG = LoggerFactory.getLogger(OtlpExports.class);

    private static final long LEAST_DRAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long MOST_DRAIN_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final OtlpSettings settings;
    private final List<String> warnings;
    private final @Nullable SignalExport<LogItem, LogRecordData> logs;
    private final @Nullable SignalExport<ExchangeSpan, SpanData> spans;
    private final @Nullable Spans sampled;
    private final @Nullable MetricPush push;
    private @Nullable Meter meter;
    private volatile @Nullable ProxyConfig begun;
    private volatile @Nullable CollectorNetwork network;
    private @Nullable OtlpAppender appender;
    private long endAt = System.nanoTime();

    private OtlpExports(OtlpSettings settings, List<String> warnings) {
        this.settings = settings;
        this.warnings = warnings;
        Target logTarget = settings.logs();
        this.logs = logTarget == null ? null : logs(logTarget, settings);
        Target spanTarget = settings.traces();
        SignalExport<ExchangeSpan, SpanData> traces = spanTarget == null ? null : spans(spanTarget, settings);
        this.spans = traces;
        Sampler sampler = settings.sampler();
        this.sampled =
                sampler == null || traces == null ? null : new Spans(settings.resource(), sampler, traces::offer);
        Target metrics = settings.metrics();
        this.push = metrics == null ? null : new MetricPush(metrics, settings);
    }

    private static SignalExport<LogItem, LogRecordData> logs(Target target, OtlpSettings settings) {
        return new SignalExport<>(target, settings.logBatches(), new LogRecords(settings.resource())::of, exporters -> {
            LogRecordExporter exporter = exporters.logs();
            return ExportLoop.Exporter.of(exporter::export, exporter::shutdown);
        });
    }

    private static SignalExport<ExchangeSpan, SpanData> spans(Target target, OtlpSettings settings) {
        return new SignalExport<>(target, settings.spanBatches(), span -> span, exporters -> {
            SpanExporter exporter = exporters.spans();
            return ExportLoop.Exporter.of(exporter::export, exporter::shutdown);
        });
    }

    static Exports of(Map<String, String> environment) throws Failure {
        OtlpEnvironment.Outcome read = OtlpEnvironment.read(environment);
        if (!read.problems().isEmpty()) {
            throw new Failure(read.problems());
        }
        return new OtlpExports(read.settings(), read.warnings());
    }

    @Override
    public void addTo(SdkMeterProviderBuilder meters) {
        if (push != null) {
            meters.setResource(settings.resource()).registerMetricReader(push.reader());
        }
    }

    @Override
    public void countWith(Meter with) {
        meter = with;
        if (logs != null) {
            logs.countWith(with);
        }
        if (spans != null) {
            spans.countWith(with);
        }
    }

    @Override
    public void begin(ProxyConfig config) {
        warnings.forEach(LOG::warn);
        if (settings.exportsNothing()) {
            return;
        }
        Stream.of(settings.logs(), settings.metrics(), settings.traces())
                .filter(Objects::nonNull)
                .forEach(target -> LOG.info("otlp: exporting {}", target));
        begun = config;
        if (config.proxy().upstreamProxy() == null) {
            open(config, Parents.NONE);
        }
    }

    @Override
    public void through(Parents parents) {
        CollectorNetwork present = network;
        ProxyConfig config = begun;
        if (present != null) {
            present.through(parents);
        } else if (config != null) {
            open(config, parents);
        }
    }

    private void open(ProxyConfig config, Parents parents) {
        CollectorNetwork to = new CollectorNetwork(config, parents);
        network = to;
        if (logs != null) {
            logs.begin(to);
            append(logs);
        }
        if (spans != null) {
            spans.begin(to);
        }
        if (push != null && meter != null) {
            push.begin(to, new ExportMeters(meter, Signal.METRICS));
        }
    }

    /** Has the lines of the process's own log exported, too. */
    private void append(SignalExport<LogItem, LogRecordData> to) {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            OtlpAppender lines = new OtlpAppender(to::offer);
            lines.setContext(context);
            lines.start();
            context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(lines);
            appender = lines;
        }
    }

    @Override
    public void written(AuditRecord record, ByteBuffer line) {
        SpanContext span = sampled == null ? SpanContext.getInvalid() : sampled.of(record);
        if (logs != null) {
            byte[] json = new byte[line.remaining()];
            line.get(json);
            logs.offer(new LogItem.Audit(json, System.currentTimeMillis(), span));
        }
    }

    @Override
    public void reloaded(ProxyConfig config) {
        CollectorNetwork through = network;
        if (through != null) {
            through.reconfigure(config);
        }
    }

    @Override
    public boolean traces() {
        return sampled != null;
    }

    @Override
    public void ending(Duration limit) {
        endAt = System.nanoTime() + limit.toNanos();
    }

    @Override
    public void drain() {
        long now = System.nanoTime();
        long end = now + Math.clamp(endAt - now, LEAST_DRAIN_NANOS, MOST_DRAIN_NANOS);
        if (appender != null && LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            context.getLogger(Logger.ROOT_LOGGER_NAME).detachAppender(appender);
        }
        if (logs != null) {
            logs.close();
        }
        if (spans != null) {
            spans.close();
        }
        if (logs != null) {
            logs.drain(left(end));
        }
        if (spans != null) {
            spans.drain(left(end));
        }
        if (push != null) {
            push.closing(left(end));
        }
    }

    /** What is left, but enough for one attempt with a collector that answers. */
    private static Duration left(long end) {
        return Duration.ofNanos(Math.max(LEAST_DRAIN_NANOS, end - System.nanoTime()));
    }

    @Override
    public void close() {
        begun = null;
        CollectorNetwork through = network;
        if (through != null) {
            through.close();
            network = null;
        }
    }
}
