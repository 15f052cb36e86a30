package dev.sallyport.core.exchange;

import dev.sallyport.core.body.BodyCaps;
import dev.sallyport.core.config.ProxySection;
import dev.sallyport.core.upstream.HeaderTimeouts;
import java.time.Duration;
import java.util.function.Predicate;

/**
 * Limits of one exchange.
 *
 * @param caps what may be buffered of a body
 * @param relayIdle how long both sides of a WebSocket may be silent; zero for no limit
 * @param stripAltSvc whether to remove the response fields that would lead clients around the proxy
 * @param deniesInside hosts whose tunnels open even if refused, so that responses inside report the refusal
 * @param problems how refusals and failures are told
 * @param trace what becomes of the workload's trace fields
 * @param headerTimeouts the requests whose responses may begin later, or must begin sooner, than others
 */
public record ExchangeSettings(
        BodyCaps caps,
        Duration relayIdle,
        boolean stripAltSvc,
        Predicate<String> deniesInside,
        ProblemForm problems,
        ProxySection.Trace trace,
        HeaderTimeouts headerTimeouts) {}
