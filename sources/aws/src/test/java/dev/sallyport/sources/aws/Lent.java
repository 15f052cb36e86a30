package dev.sallyport.sources.aws;

import dev.sallyport.spi.HttpCaller;
import dev.sallyport.spi.SourceContext;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** What sources are lent. Counts what they have kept; closing it closes that. */
final class Lent implements SourceContext, AutoCloseable {

    private final String type;
    private final HttpCaller http;
    private final Map<Record, Object> kept = new LinkedHashMap<>();

    /** @param type the name of the source that it is lent to */
    Lent(String type, HttpCaller http) {
        this.type = type;
        this.http = http;
    }

    int kept() {
        return kept.size();
    }

    @Override
    public String type() {
        return type;
    }

    @Override
    public String environment(String variable) {
        throw new AssertionError("the SDK looks for itself");
    }

    @Override
    public Clock clock() {
        return Clock.systemUTC();
    }

    @Override
    public HttpCaller http() {
        return http;
    }

    @Override
    @SuppressWarnings("unchecked")
    public synchronized <T> T keep(Record key, Supplier<T> maker) {
        return (T) kept.computeIfAbsent(key, absent -> maker.get());
    }

    @Override
    public void close() throws Exception {
        for (Object value : kept.values()) {
            ((AutoCloseable) value).close();
        }
    }
}
