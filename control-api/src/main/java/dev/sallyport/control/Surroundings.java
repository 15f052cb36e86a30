package dev.sallyport.control;

import dev.sallyport.control.crypto.PasswordCost;
import dev.sallyport.control.feed.EmbeddedEvents;
import dev.sallyport.core.PipelineFeed;
import dev.sallyport.toolkit.match.IpRange;
import io.opentelemetry.api.OpenTelemetry;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a control plane takes from the process that it runs in.
 *
 * @param proxy the proxy of this process; null when there is none
 * @param passwords what new password hashes cost
 */
record Surroundings(
        Function<String, @Nullable String> environment,
        OpenTelemetry telemetry,
        Clock clock,
        @Nullable Proxy proxy,
        PasswordCost passwords) {

    Surroundings(
            Function<String, @Nullable String> environment,
            OpenTelemetry telemetry,
            Clock clock,
            @Nullable Proxy proxy) {
        this(environment, telemetry, clock, proxy, PasswordCost.STANDARD);
    }

    /**
     * A proxy in this process.
     *
     * @param door where policies come into it
     * @param events where what it has seen comes out
     * @param deniedRanges those that it does not dial now
     * @param program what it is part of
     */
    record Proxy(PipelineFeed door, EmbeddedEvents events, Supplier<List<IpRange>> deniedRanges, Program program) {}

    /**
     * The program of a proxy.
     *
     * @param words those that begin its commands; none where it has no commands
     * @param file its configuration; null for one that is no file
     * @param isForSandboxes whether that says anything of sandboxes
     */
    record Program(List<String> words, @Nullable Path file, boolean isForSandboxes) {

        /** One that has no commands. */
        static final Program NONE = new Program(List.of(), null, false);
    }
}
