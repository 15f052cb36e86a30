package dev.sallyport.server.otlp;

/** What OTLP carries. */
enum Signal {
    LOGS("logs", "LOGS", "log records", "BLRP"),
    METRICS("metrics", "METRICS", "metrics", ""),
    TRACES("traces", "TRACES", "spans", "BSP");

    private final String text;
    private final String variable;
    private final String items;
    private final String batches;

    Signal(String text, String variable, String items, String batches) {
        this.text = text;
        this.variable = variable;
        this.items = items;
        this.batches = batches;
    }

    /** As in messages and labels. */
    String text() {
        return text;
    }

    /** What it consists of, for messages. */
    String items() {
        return items;
    }

    /** The path below the general endpoint of HTTP. */
    String path() {
        return "v1/" + text;
    }

    /** The variable that chooses its exporter. */
    String exporterVariable() {
        return "OTEL_" + variable + "_EXPORTER";
    }

    /** Its own variant of a variable for all signals, such as {@code ENDPOINT}. */
    String variable(String name) {
        return "OTEL_EXPORTER_OTLP_" + variable + "_" + name;
    }

    /** The variable of its queue, such as {@code MAX_QUEUE_SIZE}. */
    String queueVariable(String name) {
        return "OTEL_" + batches + "_" + name;
    }
}
