package dev.sallyport.core;

import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.ProxyConfig;
import io.opentelemetry.api.OpenTelemetry;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** The services that the program lends a {@link Subcommand} while it runs. For one thread. */
public interface SubcommandContext {

    /** The environment variables of the process. */
    Map<String, String> environment();

    /** Standard input. */
    InputStream in();

    /** Standard output; flushed after each line. */
    PrintWriter out();

    /** Standard error; flushed after each line. */
    PrintWriter err();

    /** Reads a configuration with all sections and plug-ins that the program knows. Blocks. */
    ConfigResult load(Path file);

    /** For meters; {@link #serve} exposes them. */
    OpenTelemetry telemetry();

    /**
     * Sets the level of the log, answers {@code metrics.listen}, and returns when a signal asks for the end. Blocks.
     *
     * @param ready what {@code /readyz} answers
     * @throws StartException when {@code metrics.listen} cannot be bound
     */
    void serve(ProxyConfig config, BooleanSupplier ready) throws StartException, InterruptedException;
}
