package dev.sallyport.server.otlp;

import dev.sallyport.core.audit.AuditListener;
import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.core.parent.Parents;
import dev.sallyport.server.Failure;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.sdk.metrics.SdkMeterProviderBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * What the environment asks to be exported; nothing, unless it does. Receives every audit record, on the writer's thread,
 * which it never holds up. The other methods are called by the thread that runs the server, in the order in which they
 * stand here.
 */
public interface Exports extends AuditListener, AutoCloseable {

    /** Exports nothing. */
    static Exports none() {
        return NoExports.NONE;
    }

    /**
     * Reads the environment.
     *
     * @throws Failure with every variable that cannot be used
     */
    static Exports of(Map<String, String> environment) throws Failure {
        return asked(environment) ? OtlpExports.of(environment) : none();
    }

    /** What is wrong with the variables, one line each. Blocks to read the certificates that they name. */
    static List<String> problems(Map<String, String> environment) {
        return asked(environment) ? OtlpEnvironment.read(environment).problems() : List.of();
    }

    /** A look at names, before classes are loaded to read them. */
    private static boolean asked(Map<String, String> environment) {
        for (Map.Entry<String, String> variable : environment.entrySet()) {
            String name = variable.getKey();
            if (name.startsWith("OTEL_")
                    && (name.endsWith("_ENDPOINT") || name.endsWith("_EXPORTER"))
                    && !variable.getValue().isBlank()) {
                return true;
            }
        }
        return false;
    }

    /** Adds to the meters what exports them. */
    void addTo(SdkMeterProviderBuilder meters);

    /** Counts with this meter what becomes of records and spans. */
    void countWith(Meter meter);

    /** Begins to send; what came before has been kept. Behind a parent proxy, waits for {@link #through}. */
    void begin(ProxyConfig config);

    /** These are the parent proxies from now on. Called at the start, and by whichever thread reloads. */
    void through(Parents parents);

    /** A reload has put this configuration in force. Called by whichever thread reloads. */
    void reloaded(ProxyConfig config);

    /** Whether exchanges have spans. */
    boolean traces();

    /** The server begins to end. What is left at the end of exchanges may be sent until so long from now. */
    void ending(Duration limit);

    /**
     * Sends what is left of records and spans: within what is left of the limit, but for half a second at least and ten at
     * most. Nothing is taken afterwards; meters can still be exported. Idempotent; blocks.
     */
    void drain();

    /** Closes the connections. Idempotent. */
    @Override
    void close();
}
