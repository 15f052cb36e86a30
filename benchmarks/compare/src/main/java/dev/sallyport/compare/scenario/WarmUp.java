package dev.sallyport.compare.scenario;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the rates of consecutive seconds say about how fast a peer gets warm. */
final class WarmUp {

    private static final int FIRST = 3;

    private WarmUp() {}

    /** @param last how many seconds at the end make up the peak, on average */
    static Map<String, Double> values(List<Double> rates, int last) {
        double peak = rates.subList(Math.max(0, rates.size() - last), rates.size()).stream()
                .mapToDouble(Double::doubleValue)
                .average()
                .orElse(0);
        Map<String, Double> values = new LinkedHashMap<>();
        for (int i = 0; i < rates.size(); i++) {
            values.put(String.format("second_%02d", i + 1), rates.get(i));
        }
        values.put("peak_per_second", peak);
        values.put("half_after_s", reached(rates, peak * 0.5));
        values.put("ninety_after_s", reached(rates, peak * 0.9));
        double early = rates.stream()
                .limit(FIRST)
                .mapToDouble(Double::doubleValue)
                .max()
                .orElse(0);
        values.put("first_three_share", peak == 0 ? 0 : early / peak);
        return values;
    }

    /** The number of the first second with that rate, from 1. */
    private static double reached(List<Double> rates, double rate) {
        for (int i = 0; i < rates.size(); i++) {
            if (rates.get(i) >= rate) {
                return i + 1;
            }
        }
        return rates.size();
    }
}
