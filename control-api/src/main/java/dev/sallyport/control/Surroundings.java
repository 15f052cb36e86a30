package dev.sallyport.control;

import dev.sallyport.control.crypto.PasswordCost;
import dev.sallyport.control.feed.EmbeddedEvents;
import dev.sallyport.core.PipelineFeed;
import dev.sallyport.toolkit.match.IpRange;
import io.opentelemetry.api.OpenTelemetry;
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
     */
    record Proxy(PipelineFeed door, EmbeddedEvents events, Supplier<List<IpRange>> deniedRanges) {}
}
