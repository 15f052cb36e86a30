package dev.sallyport.compare.scenario;

/**
 * Something that is measured.
 *
 * @param name in samples
 * @param title in tables, with the unit
 * @param higherIsBetter false where less is better
 */
public record Metric(String name, String title, boolean higherIsBetter) {

    static final Metric RATE = new Metric("per_second", "requests/s", true);
    static final Metric CONNECTIONS = new Metric("per_second", "connections/s", true);
    static final Metric MESSAGES = new Metric("per_second", "messages/s", true);
    static final Metric QUERIES = new Metric("per_second", "queries/s", true);
    static final Metric BYTES = new Metric("gb_per_second", "GB/s", true);
    static final Metric P50 = new Metric("p50_us", "p50 µs", false);
    static final Metric P99 = new Metric("p99_us", "p99 µs", false);
    static final Metric P999 = new Metric("p999_us", "p99.9 µs", false);
    static final Metric CPU = new Metric("cpu_us", "CPU µs each", false);
    static final Metric CPU_BYTES = new Metric("cpu_s_per_gb", "CPU s/GB", false);
    static final Metric RSS = new Metric("rss_mib", "RSS MiB", false);
    static final Metric ERRORS = new Metric("errors", "errors", false);
}
