package dev.sallyport.spi;

import java.time.Clock;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The services that the engine provides to a secret source. Implemented by the engine and the test kit. Thread-safe.
 */
public interface SourceContext {

    /** The name that the configuration gives the source in {@code type}: for messages. */
    String type();

    /** The value of an environment variable of the proxy process, or null. Sources do not ask the JVM themselves. */
    @Nullable String environment(String variable);

    /** The clock to use. */
    Clock clock();

    /** Makes requests of the operator's own; see {@link BuildContext#http()}. */
    HttpCaller http();

    /**
     * What a program that the source starts has to be told in its environment, so that it goes out as the proxy does:
     * {@code HTTP_PROXY}, {@code HTTPS_PROXY}, {@code NO_PROXY}. Empty where the proxy goes out directly. Holds the
     * credentials for the parent proxy.
     */
    default Map<String, String> proxyVariables() {
        return Map.of();
    }

    /**
     * State that sources share, such as the client of a service: the value made by {@code maker} for an equal key. It
     * is kept until the proxy is closed, and then closed when it is {@link AutoCloseable}. Other callers wait for a
     * maker that blocks.
     */
    <T> T keep(Record key, Supplier<T> maker);
}
