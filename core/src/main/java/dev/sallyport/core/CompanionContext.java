package dev.sallyport.core;

import io.opentelemetry.api.OpenTelemetry;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The services that a proxy lends a companion, from {@link CompanionFactory#create} until the companion is closed.
 * Thread-safe. Only the engine implements it, so it may grow. It gives no access to traffic, secrets or transforms.
 */
public interface CompanionContext {

    /** The value of an environment variable of the proxy, or null. Companions do not ask the JVM. */
    @Nullable String environment(String variable);

    /** The folder of the configuration file; relative paths in the section have already been resolved against it. */
    Path folder();

    /** For meters and traces; owned by the builder of the proxy. */
    OpenTelemetry telemetry();
}
