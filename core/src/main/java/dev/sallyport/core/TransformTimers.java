package dev.sallyport.core;

import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.core.audit.TransformTrace;
import dev.sallyport.core.meter.ExchangeTimer;
import dev.sallyport.core.meter.MeterRegistry;
import dev.sallyport.spi.Meters;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Times transforms from what audit records say of them. Confined to the writer's thread; allocates nothing. */
final class TransformTimers {

    /** How many names are kept at hand; a family keeps no more either. */
    private static final int KEPT = 1000;

    private final Meters.Family<ExchangeTimer> family;
    private final Map<String, Map<String, ExchangeTimer>> requests = new HashMap<>();
    private final Map<String, Map<String, ExchangeTimer>> responses = new HashMap<>();
    private int kept;

    TransformTimers(MeterRegistry meters) {
        family = meters.exchangeTimer(
                "transform.duration",
                "How long transforms took for a request or a response, with their calls and the bodies they waited for.",
                "transform",
                "name",
                "phase");
    }

    void written(AuditRecord record) {
        List<TransformTrace> traces = record.requestTraces();
        for (int i = 0; i < traces.size(); i++) {
            record(record, traces.get(i), requests, "request");
        }
        traces = record.responseTraces();
        for (int i = 0; i < traces.size(); i++) {
            record(record, traces.get(i), responses, "response");
        }
    }

    private void record(
            AuditRecord record, TransformTrace trace, Map<String, Map<String, ExchangeTimer>> known, String phase) {
        Map<String, ExchangeTimer> instances = known.get(trace.name());
        ExchangeTimer timer = instances == null ? null : instances.get(trace.instance());
        if (timer == null) {
            timer = keep(trace, known, phase);
        }
        timer.record(trace.durationNanos(), record.exchangeId(), record.endedMillis());
    }

    private ExchangeTimer keep(TransformTrace trace, Map<String, Map<String, ExchangeTimer>> known, String phase) {
        if (++kept > KEPT) { // reloads have brought many names
            requests.clear();
            responses.clear();
            kept = 1;
        }
        ExchangeTimer timer = family.of(trace.name(), trace.instance(), phase);
        known.computeIfAbsent(trace.name(), name -> new HashMap<>(4)).put(trace.instance(), timer);
        return timer;
    }
}
