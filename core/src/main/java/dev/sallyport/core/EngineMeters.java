package dev.sallyport.core;

import dev.sallyport.core.audit.AuditGate;
import dev.sallyport.core.audit.AuditListener;
import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.core.audit.AuditWriter;
import dev.sallyport.core.body.BodyBudget;
import dev.sallyport.core.dns.DnsServer;
import dev.sallyport.core.dns.DnsStats;
import dev.sallyport.core.http.HeadBudget;
import dev.sallyport.core.meter.MeterBook;
import dev.sallyport.core.upstream.UpstreamStats;
import dev.sallyport.spi.Meters;
import java.nio.ByteBuffer;
import java.util.function.ToLongFunction;

/**
 * The engine's meters. Exchanges are counted as their records are written, on the writer's thread, so that they cost
 * the event loops nothing; everything else is read from its owner at collection.
 */
final class EngineMeters implements AuditListener {

    private static final int LAST_CLASS = 5;
    private static final String NO_STATUS = "none";
    private static final long MILLIS_PER_SECOND = 1000;

    private final MeterBook meters;
    private final AuditListener next;
    private final Meters.Family<Meters.Counter> exchanges;
    private final Meters.Family<Meters.Timer> durations;
    private final Meters.Family<Meters.Counter> rejections;
    private final Meters.Counter requestBytes;
    private final Meters.Counter responseBytes;
    private final Meters.Family<Meters.Counter> endings;
    private final Meters.Family<Meters.Counter> reloads;
    private volatile long reloadedAt;
    private volatile boolean reloadFailed;

    /** @param next receives each record, too */
    EngineMeters(MeterBook meters, AuditListener next) {
        this.meters = meters;
        this.next = next;
        exchanges = meters.counter(
                "exchanges",
                "Exchanges that have ended, by the first digit of the status.",
                "action",
                "protocol",
                "status");
        durations =
                meters.timer("exchange.duration", "From the head of a request to the end of its response.", "action");
        rejections =
                meters.counter("rejections", "Exchanges that were refused, by the transform that did.", "transform");
        Meters.Family<Meters.Counter> bytes =
                meters.counter("body.bytes", "Bytes of bodies that have passed.", "direction");
        requestBytes = bytes.of("request");
        responseBytes = bytes.of("response");
        endings = meters.counter(
                "ended_before_request", "Tunnels and TLS connections that ended before a request.", "reason", "alert");
        meters.gauge("last_reload", "s", "When the last reload was asked for, since 1970; 0: never.", () -> reloadedAt);
        meters.gauge(
                "last_reload_successful",
                "",
                "Whether it was put in force; 1 if there was none.",
                () -> reloadFailed ? 0 : 1);
        reloads = meters.counter("reloads", "Reloads of the configuration.", "outcome");
    }

    void watch(AuditGate gate, AuditWriter audit, UpstreamStats upstream, BodyBudget budget, HeadBudget heads) {
        meters.gauge(
                "audit.pending",
                "{record}",
                "Exchanges under way and records that are not written yet.",
                () -> gate.capacity() - gate.available());
        meters.sum("audit.write_failures", "", "Attempts to write audit records that failed.", audit::failures);
        meters.sum("upstream.dials", "", "Connections to origins that were begun.", upstream::dials);
        meters.sum("upstream.dial_failures", "", "Of these, those that failed or were denied.", upstream::dialFailures);
        meters.sum("upstream.reuses", "", "Exchanges that took a pooled connection.", upstream::reuses);
        meters.gauge("upstream.active", "{connection}", "Connections to origins in use.", upstream::active);
        meters.gauge("upstream.idle", "{connection}", "Connections to origins in pools.", upstream::idle);
        meters.gauge("upstream.waiting", "{exchange}", "Exchanges that wait for an origin.", upstream::waiting);
        meters.gauge("body.buffered", "By", "Bytes of bodies that are held back.", budget::used);
        meters.gauge("head.buffered", "By", "Memory set aside for heads of requests.", heads::taken);
    }

    void watch(DnsServer dns) {
        sum(dns, "queries", "Queries that came in.", DnsStats::queries);
        sum(dns, "intercepted", "Answered with the proxy's address, or with nothing.", DnsStats::intercepted);
        sum(dns, "fixed", "Answered from static records.", DnsStats::fixed);
        sum(dns, "passed", "Asked of the upstream resolver.", DnsStats::passed);
        sum(dns, "failed", "Of those passed, the ones without an answer.", DnsStats::failed);
        sum(dns, "refused", "Refused.", DnsStats::refused);
        sum(dns, "malformed", "Not understood.", DnsStats::malformed);
        sum(dns, "limited", "Over the limit of their source.", DnsStats::limited);
    }

    private void sum(DnsServer dns, String name, String description, ToLongFunction<DnsStats> reading) {
        meters.sum("dns." + name, "", description, () -> reading.applyAsLong(dns.stats()));
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
        durations.of(action).record(record.duration());
        requestBytes.add(record.requestBytes());
        responseBytes.add(record.responseBytes());
        String by = record.rejectedBy();
        if (by != null) {
            rejections.of(by).increment();
        }
        String endedBy = record.endedBy();
        if (!endedBy.isEmpty()) {
            endings.of(endedBy, record.tlsAlert()).increment();
        }
        next.written(record, line);
    }

    private static String status(int code) {
        int first = code / 100;
        return first < 1 || first > LAST_CLASS ? NO_STATUS : first + "xx";
    }
}
