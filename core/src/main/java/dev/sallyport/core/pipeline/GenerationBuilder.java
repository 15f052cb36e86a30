package dev.sallyport.core.pipeline;

import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.core.secret.SecretScope;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.SecretRef;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Builds generations: makes their transforms in list order. If one cannot be made, those made before it are closed in
 * reverse order, and the generation in force stays. One for each proxy; thread-safe. Building blocks.
 *
 */
public final class GenerationBuilder {

    private final TransformServices services;
    private final IdentityHashMap<EventLoop, LoopState> states = new IdentityHashMap<>();
    private final TransformMaker maker;
    private final TransformInstances instances = new TransformInstances();
    private final SharedTransformState kept = new SharedTransformState();
    private final AtomicInteger numbers = new AtomicInteger();
    private final AtomicInteger workloadNumbers = new AtomicInteger();
    private volatile Runnable switching = () -> {};

    public GenerationBuilder(TransformServices services) {
        this(services, TransformMaker.PLAIN);
    }

    /** As above, with transforms that are made in another way. */
    public GenerationBuilder(TransformServices services, TransformMaker maker) {
        this.services = services;
        this.maker = maker;
        services.loops().forEach(loop -> states.put(loop, new LoopState()));
    }

    /**
     * Has this called whenever a generation was made in which connections over TLS may be switched to other protocols,
     * before it can be in force.
     *
     * @param preparation may block
     */
    public void beforeSwitching(Runnable preparation) {
        switching = preparation;
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
        try (SecretScope resolved = services.secrets().open()) {
            return build(entries, settings, resolved, problems);
        }
    }

    /** As above; first reads every secret that the entries name through the caller's scope. */
    public @Nullable Generation build(
            List<? extends TransformEntry<?>> entries,
            PipelineSettings settings,
            SecretScope resolved,
            Consumer<ConfigProblem> problems) {
        return resolve(entries, resolved, problems) ? make(entries, settings, false, problems) : null;
    }

    /**
     * As above, for one workload among many: matchers of its rules are compiled when they are first used. Transforms
     * that other generations have with the same configuration are shared.
     */
    public @Nullable Generation buildForWorkload(
            List<? extends TransformEntry<?>> entries,
            PipelineSettings settings,
            SecretScope resolved,
            Consumer<ConfigProblem> problems) {
        return resolve(entries, resolved, problems) ? make(entries, settings, true, problems) : null;
    }

    /**
     * A generation for a workload, or for callers without one, that refuses everything.
     *
     * @param status of a refused request; a tunnel gets 403
     * @param code stable, lower snake case
     */
    public Generation refusing(int status, String code, String detail, PipelineSettings settings) {
        return refusing(status, code, detail, settings, null);
    }

    /**
     * As above, in place of a generation whose transforms are kept until this one ends, because they will be needed
     * again.
     */
    public Generation refusing(
            int status, String code, String detail, PipelineSettings settings, @Nullable Generation instead) {
        RefusingTransform refusing = new RefusingTransform(status, code, detail);
        Stage stage = new Stage(
                0,
                RefusingTransform.NAME,
                "",
                refusing,
                Capabilities.none(),
                Stage.Resources.NONE,
                settings.transformTimeout().toNanos());
        return new Generation(workloadNumbers.decrementAndGet(), List.of(stage), states, runs(settings), () -> {
            if (instead != null) {
                instead.retire().toCompletableFuture().join();
            }
        });
    }

    private @Nullable Generation make(
            List<? extends TransformEntry<?>> entries,
            PipelineSettings settings,
            boolean ofWorkload,
            Consumer<ConfigProblem> problems) {
        InstanceContext.EngineServices lent =
                new InstanceContext.EngineServices(services, kept, settings, maker, ofWorkload);
        Set<String> placeholders = placeholders(entries);
        List<TransformInstances.Instance> made = new ArrayList<>();
        List<Stage> stages = new ArrayList<>();
        boolean complete = false;
        try {
            for (TransformEntry<?> entry : entries) {
                stage(entry, lent, placeholders, made, stages, problems);
            }
            complete = stages.size() == entries.size();
        } finally {
            if (!complete) {
                close(made);
            }
        }
        if (!complete) {
            return null;
        }
        if (stages.stream().anyMatch(Stage::maySwitch)) {
            switching.run();
        }
        LazyRules.bound(made.stream().flatMap(one -> one.allRules().stream()).toList());
        int number = ofWorkload ? workloadNumbers.decrementAndGet() : numbers.incrementAndGet();
        return new Generation(number, stages, states, runs(settings), () -> close(made));
    }

    private RunServices runs(PipelineSettings settings) {
        return new RunServices(services.blocking(), settings, services.secrets()::deletions);
    }

    /** Drops compiled rules of workloads that have not been used since this was last called; to be called now and then. */
    public void dropIdle() {
        instances.dropIdle();
    }

    private static Set<String> placeholders(List<? extends TransformEntry<?>> entries) {
        Set<String> placeholders = new HashSet<>();
        entries.forEach(entry -> placeholders.addAll(entry.capabilities().placeholders()));
        return Set.copyOf(placeholders);
    }

    private void stage(
            TransformEntry<?> entry,
            InstanceContext.EngineServices lent,
            Set<String> placeholders,
            List<TransformInstances.Instance> made,
            List<Stage> stages,
            Consumer<ConfigProblem> problems) {
        try {
            TransformInstances.Instance instance = instances.acquire(entry, lent, placeholders);
            made.add(instance);
            int position = made.size() - 1;
            stages.add(stage(position, entry, instance, lent.settings().transformTimeout()));
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
                new Stage.Resources(
                        instance.scope(),
                        instance.relays(),
                        instance.ruleSets(),
                        instance.secrets(),
                        places(entry.name(), entry.pointer(), instance)),
                deadline.toNanos());
    }

    /** The pointers of rules below an entry; without the entry, which may hold the text that it was read from. */
    private static Function<Rule, String> places(String name, String entry, TransformInstances.Instance instance) {
        return rule -> {
            String below = instance.placeOf(rule);
            return below == null ? "a rule of " + entry + " (" + name + ")" : entry + below + " (" + name + ")";
        };
    }

    private void close(List<TransformInstances.Instance> made) {
        for (int i = made.size() - 1; i >= 0; i--) {
            instances.release(made.get(i));
        }
    }
}
