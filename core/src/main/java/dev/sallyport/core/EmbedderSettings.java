package dev.sallyport.core;

import dev.sallyport.core.audit.AuditListener;
import dev.sallyport.core.audit.AuditSink;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.core.exchange.ProblemForm;
import dev.sallyport.core.parent.Parents;
import io.opentelemetry.api.OpenTelemetry;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What the embedding application has said about a proxy, as it stood when the proxy was built.
 *
 * @param environment variables, for overrides and the {@code env} source
 * @param transforms those that the application has made, which follow those of the configuration
 * @param problems how refusals and failures are told
 * @param program the words that begin its commands; none where it has none
 * @param loops the number of event loops
 */
record EmbedderSettings(
        ConfigSource source,
        Map<String, String> environment,
        List<TransformEntry<?>> transforms,
        AuditOutput audit,
        Hooks hooks,
        OpenTelemetry telemetry,
        ProblemForm problems,
        List<String> program,
        int loops) {

    /**
     * Where records go besides what the configuration says.
     *
     * @param sink the application's; null for none
     * @param standardOutput whether they go to standard output unless the configuration says otherwise
     */
    record AuditOutput(@Nullable AuditSink sink, boolean standardOutput, AuditListener listener) {}

    /** What the application wants to be told; see the methods of {@link EgressProxy.Builder} of these names. */
    record Hooks(
            Consumer<ConfigResult.Loaded> configListener,
            Consumer<Parents> parentListener,
            Runnable endListener,
            Function<ConfigResult.Loaded, List<ConfigProblem>> configCheck) {}
}
