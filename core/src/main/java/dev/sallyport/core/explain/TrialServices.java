package dev.sallyport.core.explain;

import dev.sallyport.core.body.BodyBudget;
import dev.sallyport.core.exchange.LocalSite;
import dev.sallyport.core.upstream.Upstreams;
import io.netty.channel.EventLoop;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * What trials use.
 *
 * @param loop where they run
 * @param upstreams checks routes; nothing is dialled
 * @param site the proxy's own site
 * @param budget for bodies
 * @param settings what decides besides the transforms
 * @param calls whether a transform has tried to call somebody since this was asked last, and was kept from it
 */
public record TrialServices(
        EventLoop loop,
        Upstreams upstreams,
        Supplier<LocalSite> site,
        BodyBudget budget,
        ExplainSettings settings,
        BooleanSupplier calls) {

    boolean refusedCalls() {
        return calls.getAsBoolean();
    }
}
