package dev.sallyport.core.pipeline;

import dev.sallyport.core.meter.MeterRegistry;
import dev.sallyport.core.secret.SecretStore;
import dev.sallyport.spi.AddressResolver;
import dev.sallyport.spi.Connector;
import dev.sallyport.spi.HttpCaller;
import io.netty.channel.EventLoop;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;

/**
 * The services from which generations are built and that their transforms use. A proxy has one for all generations; an
 * explanation has its own. The caller owns everything in it.
 *
 * @param scheduler runs short tasks
 * @param http calls hosts that the operator configured
 * @param resolver resolves their names
 * @param connector connects to them
 * @param loops those on which exchanges run
 * @param environment the environment of the proxy
 *
 */
public record TransformServices(
        Clock clock,
        ScheduledExecutorService scheduler,
        HttpCaller http,
        AddressResolver resolver,
        Connector connector,
        SecretStore secrets,
        MeterRegistry meters,
        BlockingStepExecutor blocking,
        List<EventLoop> loops,
        Map<String, String> environment) {

    public TransformServices {
        loops = List.copyOf(loops);
        environment = Map.copyOf(environment);
    }
}
