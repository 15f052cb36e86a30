package dev.sallyport.server.otlp;

import io.opentelemetry.api.trace.SpanContext;
import org.jspecify.annotations.Nullable;

/** What waits to become a log record. */
sealed interface LogItem extends Sized {

    /**
     * An audit record.
     *
     * @param json its line
     * @param observedMillis when it was written
     * @param span the exchange's span; invalid where spans are not made
     */
    record Audit(byte[] json, long observedMillis, SpanContext span) implements LogItem {

        private static final int OVERHEAD = 120;

        @Override
        public int bytes() {
            return json.length + OVERHEAD;
        }
    }

    /**
     * A line of the ordinary log.
     *
     * @param level as the log writes it
     * @param fault what was thrown; null for nothing
     */
    record Line(
            long millis,
            String level,
            String logger,
            String message,
            @Nullable Fault fault) implements LogItem {

        private static final int OVERHEAD = 160;

        @Override
        public int bytes() {
            int thrown = fault == null
                    ? 0
                    : fault.type().length()
                            + fault.message().length()
                            + fault.trace().length();
            return OVERHEAD + 2 * (message.length() + thrown);
        }
    }

    /** Something thrown, as text. */
    record Fault(String type, String message, String trace) {}
}
