package dev.sallyport.core.exchange;

/**
 * Limits of one exchange.
 *
 * @param maxRequestBody bytes of a request that may be buffered; {@link Long#MAX_VALUE} for no limit
 * @param maxResponseBody bytes of a response that may be buffered; {@link Long#MAX_VALUE} for no limit
 * @param stripAltSvc whether responses lose what would lead clients around the proxy
 */
public record ExchangeSettings(long maxRequestBody, long maxResponseBody, boolean stripAltSvc) {}
