package dev.sallyport.compare.report;

import java.util.Map;

/**
 * What one scenario gave for one peer in one round.
 *
 * @param values by metric
 * @param failure why there are no values, or why they are in doubt; empty if all is well
 */
public record Sample(String scenario, String peer, int round, Map<String, Double> values, String failure) {}
