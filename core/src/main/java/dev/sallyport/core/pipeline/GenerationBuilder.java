package dev.sallyport.core.pipeline;

import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.core.secret.SecretStore;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.HttpCaller;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.toolkit.match.CompiledRules;
import io.netty.channel.EventLoop;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Builds generations, in list order; whatever fails, what was made before is closed in reverse and the running generation
 * is left alone. One for each proxy; thread-safe. Building blocks.
 */
public final class GenerationBuilder {

    /**
     * Takes what is wrong or doubtful.
     *
     * @see dev.sallyport.spi.Problems
     */
    public interface Report {

        /** The generation cannot be built. */
        void problem(ConfigProblem problem);

        /** The generation can be built, but look at this. */
        void warning(String text);
    }

    private final Clock clock;
    private final ScheduledExecutorService scheduler;
    private final HttpCaller http;
    private final SecretStore secrets;
    private final BlockingCalls blocking;
    private final List<EventLoop> loops;
    private final Instances instances = new Instances();
    private final KeptState kept = new KeptState();
    private final AtomicInteger numbers = new AtomicInteger();

    public GenerationBuilder(
            Clock clock,
            ScheduledExecutorService scheduler,
            HttpCaller http,
            SecretStore secrets,
            BlockingCalls blocking,
            List<EventLoop> loops) {
        this.clock = clock;
        this.scheduler = scheduler;
        this.http = http;
        this.secrets = secrets;
        this.blocking = blocking;
        this.loops = List.copyOf(loops);
    }

    /** Builds a generation; null when problems were reported. */
    public @Nullable Generation build(
            List<? extends TransformEntry<?>> entries, PipelineSettings settings, Report report) {
        StageContext.Services services = new StageContext.Services(clock, scheduler, http, secrets, kept, settings);
        List<Instances.Instance> made = new ArrayList<>();
        List<Stage> stages = new ArrayList<>();
        boolean failed = false;
        for (TransformEntry<?> entry : entries) {
            try {
                Instances.Instance instance = instances.acquire(entry, services);
                made.add(instance);
                stages.add(stage(stages.size(), entry.name(), instance, settings.transformTimeout()));
            } catch (ConfigException e) {
                failed = true;
                report.problem(entry.problem(e));
            } catch (RuntimeException | LinkageError e) {
                failed = true;
                report.problem(entry.problem(new ConfigException(
                        "",
                        "the transform could not be made",
                        "a factory that reports problems, not " + e.getClass().getName())));
            }
        }
        if (!failed) {
            failed = lint(stages, entries, settings, report);
        }
        if (failed) {
            close(made);
            return null;
        }
        return new Generation(numbers.incrementAndGet(), stages, loops, blocking, settings, () -> close(made));
    }

    private static Stage stage(int position, String name, Instances.Instance instance, Duration defaultDeadline)
            throws ConfigException {
        Capabilities capabilities = instance.capabilities();
        RuleSet scope = capabilities.scope().isEmpty() ? null : CompiledRules.of(capabilities.scope());
        Duration deadline = capabilities.deadline() == null ? defaultDeadline : capabilities.deadline();
        return new Stage(
                position, name, instance.transform(), capabilities, scope, instance.ruleSets(), deadline.toNanos());
    }

    private static boolean lint(
            List<Stage> stages, List<? extends TransformEntry<?>> entries, PipelineSettings settings, Report report) {
        List<Lint.Warning> warnings = Lint.check(stages);
        for (Lint.Warning warning : warnings) {
            if (settings.strictLint()) {
                report.problem(entries.get(warning.position()).problem(new ConfigException(warning.text())));
            } else {
                report.warning(warning.text());
            }
        }
        return settings.strictLint() && !warnings.isEmpty();
    }

    private void close(List<Instances.Instance> made) {
        for (int i = made.size() - 1; i >= 0; i--) {
            instances.release(made.get(i));
        }
    }
}
