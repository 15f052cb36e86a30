package dev.sallyport.core.pipeline;

import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.core.meter.MeterBook;
import dev.sallyport.core.secret.SecretScope;
import dev.sallyport.core.secret.SecretStore;
import dev.sallyport.spi.AddressResolver;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.HttpCaller;
import dev.sallyport.spi.SecretRef;
import io.netty.channel.EventLoop;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Builds generations, in list order. When anything fails, what was made before is closed in reverse order and the
 * running generation stays. One for each proxy; thread-safe. Building blocks.
 */
public final class GenerationBuilder {

    private final Clock clock;
    private final ScheduledExecutorService scheduler;
    private final HttpCaller http;
    private final AddressResolver resolver;
    private final SecretStore secrets;
    private final MeterBook meters;
    private final BlockingStepExecutor blocking;
    private final IdentityHashMap<EventLoop, LoopState> states = new IdentityHashMap<>();
    private final Map<String, String> environment;
    private final TransformInstances instances = new TransformInstances();
    private final SharedTransformState kept = new SharedTransformState();
    private final AtomicInteger numbers = new AtomicInteger();

    public GenerationBuilder(
            Clock clock,
            ScheduledExecutorService scheduler,
            HttpCaller http,
            AddressResolver resolver,
            SecretStore secrets,
            MeterBook meters,
            BlockingStepExecutor blocking,
            List<EventLoop> loops,
            Map<String, String> environment) {
        this.clock = clock;
        this.scheduler = scheduler;
        this.http = http;
        this.resolver = resolver;
        this.secrets = secrets;
        this.meters = meters;
        this.blocking = blocking;
        loops.forEach(loop -> states.put(loop, new LoopState()));
        this.environment = Map.copyOf(environment);
    }

    /** The mark of the transform whose code a loop is running, whichever the generation. */
    public RunningTransform mark(EventLoop loop) {
        LoopState state = states.get(loop);
        if (state == null) {
            throw new IllegalArgumentException("not a loop of this proxy");
        }
        return state.mark();
    }

    /** Builds a generation; null when problems were reported. */
    public @Nullable Generation build(
            List<? extends TransformEntry<?>> entries, PipelineSettings settings, Consumer<ConfigProblem> problems) {
        try (SecretScope resolved = secrets.open()) {
            return build(entries, settings, resolved, problems);
        }
    }

    /** As above; first reads every secret that the entries name through the caller's scope. */
    public @Nullable Generation build(
            List<? extends TransformEntry<?>> entries,
            PipelineSettings settings,
            SecretScope resolved,
            Consumer<ConfigProblem> problems) {
        return resolve(entries, resolved, problems) ? make(entries, settings, problems) : null;
    }

    private @Nullable Generation make(
            List<? extends TransformEntry<?>> entries, PipelineSettings settings, Consumer<ConfigProblem> problems) {
        InstanceContext.EngineServices services = new InstanceContext.EngineServices(
                clock, scheduler, http, resolver, secrets, meters, kept, settings, environment);
        Set<String> placeholders = placeholders(entries);
        List<TransformInstances.Instance> made = new ArrayList<>();
        List<Stage> stages = new ArrayList<>();
        boolean complete = false;
        try {
            for (TransformEntry<?> entry : entries) {
                stage(entry, services, placeholders, made, stages, problems);
            }
            complete = stages.size() == entries.size();
        } finally {
            if (!complete) {
                close(made);
            }
        }
        return complete
                ? new Generation(numbers.incrementAndGet(), stages, states, blocking, settings, () -> close(made))
                : null;
    }

    private static Set<String> placeholders(List<? extends TransformEntry<?>> entries) {
        Set<String> placeholders = new HashSet<>();
        entries.forEach(entry -> placeholders.addAll(entry.capabilities().placeholders()));
        return Set.copyOf(placeholders);
    }

    private void stage(
            TransformEntry<?> entry,
            InstanceContext.EngineServices services,
            Set<String> placeholders,
            List<TransformInstances.Instance> made,
            List<Stage> stages,
            Consumer<ConfigProblem> problems) {
        try {
            TransformInstances.Instance instance = instances.acquire(entry, services, placeholders);
            made.add(instance);
            int position = made.size() - 1;
            stages.add(stage(position, entry, instance, services.settings().transformTimeout()));
        } catch (ConfigException e) {
            problems.accept(entry.problem(e));
        }
    }

    /**
     * Reads every secret that the entries name, so that one report lists all that cannot be read; the transforms then
     * find them in the store. Returns false when some are missing.
     */
    private static boolean resolve(
            List<? extends TransformEntry<?>> entries, SecretScope scope, Consumer<ConfigProblem> problems) {
        boolean complete = true;
        for (TransformEntry<?> entry : entries) {
            for (SecretRef ref : SecretRefFinder.in(entry.config())) {
                try {
                    scope.resolve(ref);
                } catch (ConfigException e) {
                    complete = false;
                    problems.accept(entry.problemAnywhere(e));
                }
            }
        }
        return complete;
    }

    private static Stage stage(
            int position, TransformEntry<?> entry, TransformInstances.Instance instance, Duration defaultDeadline) {
        Capabilities capabilities = instance.capabilities();
        Duration deadline = capabilities.deadline() == null ? defaultDeadline : capabilities.deadline();
        return new Stage(
                position,
                entry.name(),
                entry.instanceName(),
                instance.transform(),
                capabilities,
                instance.scope(),
                instance.ruleSets(),
                deadline.toNanos());
    }

    private void close(List<TransformInstances.Instance> made) {
        for (int i = made.size() - 1; i >= 0; i--) {
            instances.release(made.get(i));
        }
    }
}
