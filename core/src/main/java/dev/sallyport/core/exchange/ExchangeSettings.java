package dev.sallyport.core.exchange;

import java.time.Duration;
import java.util.function.Predicate;

/**
 * Limits of one exchange.
 *
 * @param maxRequestBody bytes of a request that may be buffered; {@link Long#MAX_VALUE} for no limit
 * @param maxResponseBody bytes of a response that may be buffered; {@link Long#MAX_VALUE} for no limit
 * @param relayIdle how long both sides of a WebSocket may be silent; zero for no limit
 * @param stripAltSvc whether responses lose what would lead clients around the proxy
 * @param deniesInside hosts of tunnels that open also when they are refused, so that the answers inside say so
 */
public record ExchangeSettings(
        long maxRequestBody,
        long maxResponseBody,
        Duration relayIdle,
        boolean stripAltSvc,
        Predicate<String> deniesInside) {}
