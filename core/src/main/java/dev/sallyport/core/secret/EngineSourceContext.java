package dev.sallyport.core.secret;

import dev.sallyport.spi.HttpCaller;
import dev.sallyport.spi.SourceContext;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The services that secret sources may use. Reveals none of the variables. Thread-safe; close it after the sources. */
public final class EngineSourceContext implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(EngineSourceContext.class);

    private final Map<String, String> variables;
    private final Clock clock;
    private final HttpCaller http;
    private final Map<Record, Object> kept = new LinkedHashMap<>();
    private final ReentrantLock keeping = new ReentrantLock();
    private volatile Supplier<Map<String, String>> proxyVariables = Map::of;
    private boolean closed;

    /** @param variables the environment of the proxy */
    public EngineSourceContext(Map<String, String> variables, Clock clock, HttpCaller http) {
        this.variables = Map.copyOf(variables);
        this.clock = clock;
        this.http = http;
    }

    /** Sets the variables that tell programs started by sources about the parent proxy; read for each start. */
    public void tellPrograms(Supplier<Map<String, String>> variables) {
        proxyVariables = variables;
    }

    /**
     * The services for one source.
     *
     * @param type its name in the configuration
     */
    public SourceContext lentTo(String type) {
        return new Lent(type);
    }

    @SuppressWarnings("unchecked") // equal keys are records of one class, whose maker makes one type
    private <T> T keep(Record key, Supplier<T> maker) {
        keeping.lock();
        try {
            if (closed) {
                throw new IllegalStateException("source context: closed (expected: an open one)");
            }
            Object value = kept.get(key);
            if (value == null) {
                value = maker.get();
                kept.put(key, value);
            }
            return (T) value;
        } finally {
            keeping.unlock();
        }
    }

    /** Closes the shared state. Idempotent. */
    @Override
    public void close() {
        List<Object> values;
        keeping.lock();
        try {
            closed = true;
            values = List.copyOf(kept.values());
            kept.clear();
        } finally {
            keeping.unlock();
        }
        for (Object value : values.reversed()) {
            if (value instanceof AutoCloseable closeable) {
                close(closeable);
            }
        }
    }

    private final class Lent implements SourceContext {

        private final String type;

        Lent(String type) {
            this.type = type;
        }

        @Override
        public String type() {
            return type;
        }

        @Override
        public @Nullable String environment(String variable) {
            return variables.get(variable);
        }

        @Override
        public Clock clock() {
            return clock;
        }

        @Override
        public HttpCaller http() {
            return http;
        }

        @Override
        public Map<String, String> proxyVariables() {
            return proxyVariables.get();
        }

        @Override
        public <T> T keep(Record key, Supplier<T> maker) {
            return EngineSourceContext.this.keep(key, maker);
        }
    }

    private static void close(AutoCloseable closeable) {
        try {
            closeable.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            log.warn(
                    "closing {} failed: {}",
                    closeable.getClass().getSimpleName(),
                    e.getClass().getSimpleName());
        }
    }
}
