package dev.sallyport.sources.aws;

import dev.sallyport.spi.HttpCaller;
import dev.sallyport.spi.SourceContext;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** What sources are lent. Counts what they have kept; closing it closes that. */
final class Lent implements SourceContext, AutoCloseable {

    private final HttpCaller http;
    private final Map<Record, Object> kept = new LinkedHashMap<>();

    Lent(HttpCaller http) {
        this.http = http;
    }

    int kept() {
        return kept.size();
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
