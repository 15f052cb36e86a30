package dev.sallyport.core.meter;

/**
 * A measurement and the exchange that it is of: the way from a latency to its audit record.
 *
 * @param exchangeId the identifier in the audit record
 * @param seconds the duration
 * @param atMillis when it ended, in milliseconds since 1970
 */
public record Exemplar(String exchangeId, double seconds, long atMillis) {}
