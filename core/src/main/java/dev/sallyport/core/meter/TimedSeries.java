package dev.sallyport.core.meter;

import java.util.List;
import java.util.Map;

/**
 * The latest exchanges of one series of a timer.
 *
 * @param meter the name, such as {@code sallyport.exchange.duration}
 * @param labels the labels of the series
 * @param exemplars from the fastest to the slowest, at most one for each bucket
 */
public record TimedSeries(String meter, Map<String, String> labels, List<Exemplar> exemplars) {}
