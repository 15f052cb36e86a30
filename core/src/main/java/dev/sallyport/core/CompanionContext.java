package dev.sallyport.core;

import io.opentelemetry.api.OpenTelemetry;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What a proxy lends a companion, from {@link CompanionFactory#create} until the companion is closed. Thread-safe. Only
 * the engine implements it, so it may grow. It leads to no traffic, no secret and no transform.
 */
public interface CompanionContext {

    /** The value of an environment variable of the proxy, or null. Companions do not ask the JVM themselves. */
    @Nullable String environment(String variable);

    /** The folder of the configuration file; relative paths of the section are relative to it already. */
    Path folder();

    /** Where to count and trace; owned by whoever built the proxy. */
    OpenTelemetry telemetry();
}
