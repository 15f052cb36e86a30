package dev.sallyport.core.exchange;

import dev.sallyport.core.body.BodyBudget;
import dev.sallyport.core.pipeline.Pipeline;
import dev.sallyport.core.redact.RedactionRegistry;
import dev.sallyport.core.upstream.Upstreams;
import java.util.function.Supplier;

/**
 * The services that exchanges use. One for each proxy.
 *
 * @param settings the limits for exchanges that begin now
 * @param rechecks judges what outlives a reload
 */
public record ExchangeServices(
        Pipeline pipeline,
        Upstreams upstreams,
        AuditTrail audit,
        BodyBudget budget,
        RedactionRegistry redactions,
        Supplier<ExchangeSettings> settings,
        ExchangeIds ids,
        Supplier<LocalSite> site,
        Rechecks rechecks) {}
