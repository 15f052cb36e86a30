package dev.sallyport.core;

import dev.sallyport.core.audit.AuditGate;
import dev.sallyport.core.audit.AuditWriter;
import dev.sallyport.core.body.BodyBudget;
import dev.sallyport.core.dns.DnsServer;
import dev.sallyport.core.dns.DnsStats;
import dev.sallyport.core.http.HeadBudget;
import dev.sallyport.core.meter.MeterRegistry;
import dev.sallyport.core.net.Listeners;
import dev.sallyport.core.pipeline.BlockingStepExecutor;
import dev.sallyport.core.upstream.UpstreamStats;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/** Meters whose values belong to the parts of the engine, and are read from them at collection. */
record EngineGauges(MeterRegistry meters) {

    void audit(AuditGate gate, AuditWriter audit) {
        meters.gauge(
                "audit.pending",
                "{record}",
                "Exchanges under way and records that are not written yet.",
                () -> gate.capacity() - gate.available());
        meters.gauge("audit.slots", "{record}", "How many of these there may be.", gate::capacity);
        meters.gauge("audit.waiting", "{exchange}", "Requests that wait for the audit log.", gate::waiting);
        meters.sum("audit.waits", "", "Times that a request had to wait for the audit log.", gate::waits);
        meters.gauge("audit.captured", "By", "Captured bytes that are not written yet.", gate::captured);
        meters.gauge("audit.captured.limit", "By", "How many captured bytes there may be.", gate::captureCapacity);
        meters.sum("audit.write_failures", "", "Attempts to write audit records that failed.", audit::failures);
    }

    void upstream(UpstreamStats stats) {
        meters.sum("upstream.dials", "", "Connections to origins that were begun.", stats::dials);
        meters.sum("upstream.dial_failures", "", "Of these, those that failed or were denied.", stats::dialFailures);
        meters.sum("upstream.reuses", "", "Exchanges that took a pooled connection.", stats::reuses);
        meters.gauge("upstream.active", "{connection}", "Connections to origins in use.", stats::active);
        meters.gauge("upstream.idle", "{connection}", "Connections to origins in pools.", stats::idle);
        meters.gauge("upstream.waiting", "{exchange}", "Exchanges that wait for an origin.", stats::waiting);
    }

    void memory(BodyBudget bodies, HeadBudget heads) {
        meters.gauge("body.buffered", "By", "Bytes of bodies that are held back.", bodies::used);
        meters.gauge("body.buffered.limit", "By", "How many bytes of bodies may be held back.", bodies::limit);
        meters.sum("body.refusals", "", "Times that the limit on bodies was reached.", bodies::refusals);
        meters.gauge("head.buffered", "By", "Memory set aside for heads of requests.", heads::taken);
        meters.gauge("head.buffered.limit", "By", "How much heads of requests may take.", heads::limit);
        meters.sum("head.refusals", "", "Heads for which no memory was left.", heads::refusals);
    }

    void steps(BlockingStepExecutor blocking) {
        meters.gauge("blocking.steps", "{step}", "Blocking steps of transforms that run now.", blocking::running);
        meters.gauge("blocking.steps.limit", "{step}", "How many of these may run at once.", blocking::limit);
        meters.sum("blocking.refusals", "", "Blocking steps that found no place.", blocking::refusals);
    }

    void connections(Listeners listeners, PolicyInForce policy) {
        meters.gauge("connections", "{connection}", "Connections of clients.", listeners::connections);
        meters.gauge("generation", "", "The configuration in force, counted from the start.", policy::generation);
    }

    /** @param inForce TLS as it is now */
    void tls(Supplier<TlsRuntime> inForce) {
        meters.gauge(
                "ca.not_after",
                "s",
                "When the authority ends, since 1970; 0: none.",
                () -> inForce.get().authorityEnds());
        meters.gauge(
                "leaf.cached",
                "{certificate}",
                "Certificates for clients in the cache.",
                () -> inForce.get().leavesKept());
    }

    void dns(DnsServer dns) {
        sum(dns, "queries", "Queries that came in.", DnsStats::queries);
        sum(
                dns,
                "intercepted",
                "Answered with the proxy's address, or with nothing.",
                stats -> stats.answered().intercepted());
        sum(
                dns,
                "fixed",
                "Answered from static records.",
                stats -> stats.answered().fixed());
        sum(
                dns,
                "passed",
                "Asked of the upstream resolver.",
                stats -> stats.answered().passed());
        sum(dns, "failed", "Of those passed, the ones without an answer.", DnsStats::failed);
        sum(dns, "refused", "Refused.", stats -> stats.rejected().refused());
        sum(dns, "malformed", "Not understood.", stats -> stats.rejected().malformed());
        sum(
                dns,
                "limited",
                "Over the limit of their source.",
                stats -> stats.rejected().limited());
    }

    private void sum(DnsServer dns, String name, String description, ToLongFunction<DnsStats> reading) {
        meters.sum("dns." + name, "", description, () -> reading.applyAsLong(dns.stats()));
    }
}
