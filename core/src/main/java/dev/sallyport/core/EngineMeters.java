package dev.sallyport.core;

import dev.sallyport.core.audit.AuditListener;
import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.core.meter.ExchangeTimer;
import dev.sallyport.core.meter.MeterRegistry;
import dev.sallyport.spi.Meters;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.Map;

/**
 * The engine's meters of exchanges and reloads. Exchanges are counted and timed as their records are written, on the
 * writer's thread, so that they cost the event loops nothing; {@link EngineGauges} reads what others keep.
 */
final class EngineMeters implements AuditListener {

    private static final int LAST_CLASS = 5;
    private static final String NO_STATUS = "none";
    private static final long MILLIS_PER_SECOND = 1000;

    private final AuditListener next;
    private final Meters.Family<Meters.Counter> exchanges;
    private final Map<AuditRecord.Action, ExchangeTimer> durations = new EnumMap<>(AuditRecord.Action.class);
    private final ExchangeTimer upstreamWaits;
    private final ExchangeTimer upstreamResponses;
    private final TransformTimers transforms;
    private final Meters.Family<Meters.Counter> rejections;
    private final Meters.Family<Meters.Counter> workloads;
    private final Meters.Family<Meters.Counter> workloadRejections;
    private final Meters.Counter requestBytes;
    private final Meters.Counter responseBytes;
    private final Meters.Family<Meters.Counter> endings;
    private final Meters.Family<Meters.Counter> reloads;
    private volatile long reloadedAt;
    private volatile boolean reloadFailed;

    /** @param next receives each record, too */
    EngineMeters(MeterRegistry meters, AuditListener next) {
        this.next = next;
        exchanges = meters.counter(
                "exchanges",
                "Exchanges that have ended, by the first digit of the status.",
                "action",
                "protocol",
                "status");
        Meters.Family<ExchangeTimer> timers = meters.exchangeTimer(
                "exchange.duration", "From the head of a request to the end of its response.", "action");
        for (AuditRecord.Action action : AuditRecord.Action.values()) {
            durations.put(action, timers.of(action.text()));
        }
        upstreamWaits = meters.exchangeTimer(
                        "upstream.wait.duration",
                        "From the verdict about a request until there was a connection to its origin.")
                .of();
        upstreamResponses = meters.exchangeTimer(
                        "upstream.response.duration",
                        "From there to the first byte of the origin's final response, in which the request was sent.")
                .of();
        transforms = new TransformTimers(meters);
        rejections =
                meters.counter("rejections", "Exchanges that were refused, by the transform that did.", "transform");
        workloads = meters.counter("workload.exchanges", "Exchanges that have ended, by workload.", "workload");
        workloadRejections =
                meters.counter("workload.rejections", "Exchanges that a policy refused, by workload.", "workload");
        Meters.Family<Meters.Counter> bytes =
                meters.counter("body.bytes", "Bytes of bodies that have passed.", "direction");
        requestBytes = bytes.of("request");
        responseBytes = bytes.of("response");
        endings = meters.counter(
                "ended_before_request", "Tunnels and TLS connections that ended before a request.", "reason", "alert");
        meters.gauge("last_reload", "s", "Time of the last reload request, since 1970; 0: never.", () -> reloadedAt);
        meters.gauge(
                "last_reload_successful",
                "",
                "Whether the last reload succeeded; 1 if there was none.",
                () -> reloadFailed ? 0 : 1);
        reloads = meters.counter("reloads", "Reloads of the configuration.", "outcome");
    }

    void reloaded(ReloadResult result) {
        String outcome = switch (result) {
            case ReloadResult.Reloaded reloaded -> "reloaded";
            case ReloadResult.Refused refused -> "refused";
        };
        reloads.of(outcome).increment();
        reloadedAt = System.currentTimeMillis() / MILLIS_PER_SECOND;
        reloadFailed = result instanceof ReloadResult.Refused;
    }

    @Override
    public void written(AuditRecord record, ByteBuffer line) {
        String action = record.action().text();
        exchanges.of(action, record.protocol(), status(record.statusCode())).increment();
        time(record);
        requestBytes.add(record.requestBytes());
        responseBytes.add(record.responseBytes());
        String by = record.rejectedBy();
        if (by != null) {
            rejections.of(by).increment();
        }
        String workload = record.workload();
        if (!workload.isEmpty()) {
            workloads.of(workload).increment();
            if (by != null) {
                workloadRejections.of(workload).increment();
            }
        }
        String endedBy = record.endedBy();
        if (!endedBy.isEmpty()) {
            endings.of(endedBy, record.tlsAlert()).increment();
        }
        next.written(record, line);
    }

    private void time(AuditRecord record) {
        String id = record.exchangeId();
        long ended = record.endedMillis();
        ExchangeTimer whole = durations.get(record.action());
        if (whole != null) {
            whole.record(record.durationNanos(), id, ended);
        }
        if (record.upstreamWaitNanos() >= 0) {
            upstreamWaits.record(record.upstreamWaitNanos(), id, ended);
        }
        if (record.upstreamResponseNanos() >= 0) {
            upstreamResponses.record(record.upstreamResponseNanos(), id, ended);
        }
        transforms.written(record);
    }

    private static String status(int code) {
        int first = code / 100;
        return first < 1 || first > LAST_CLASS ? NO_STATUS : first + "xx";
    }
}
