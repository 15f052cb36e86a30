package dev.sallyport.core;

import dev.sallyport.core.body.BodyBudget;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.ProxyAuth;
import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.core.config.TlsSection;
import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.core.exchange.LocalSite;
import dev.sallyport.core.explain.ExplainRequest;
import dev.sallyport.core.explain.ExplainSettings;
import dev.sallyport.core.explain.ExplainedCaller;
import dev.sallyport.core.explain.Explainer;
import dev.sallyport.core.explain.Explanation;
import dev.sallyport.core.explain.InvalidRequestException;
import dev.sallyport.core.explain.TrialMaker;
import dev.sallyport.core.explain.TrialServices;
import dev.sallyport.core.meter.MeterRegistry;
import dev.sallyport.core.pipeline.BlockingStepExecutor;
import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.core.pipeline.GenerationBuilder;
import dev.sallyport.core.pipeline.TransformServices;
import dev.sallyport.core.upstream.UpstreamPools;
import dev.sallyport.spi.Connector;
import dev.sallyport.spi.ListenerKind;
import io.netty.channel.EventLoop;
import io.opentelemetry.api.OpenTelemetry;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The explainers of a configuration, made when they are first needed: one that asks nobody, and one that does. Their
 * transforms are their own, with what these remember; only secrets, names and connections of the operator are shared.
 * Thread-safe; blocks.
 */
final class Explainers implements AutoCloseable {

    /** More than a body that comes with a request for an explanation can take, decoded. */
    private static final long BODY_BYTES = 256L << 20;

    private final Means means;
    private final Consumer<String> remarks;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private @Nullable Made dry;
    private @Nullable Made live;
    private boolean closed;

    /**
     * What explainers are made of.
     *
     * @param services for one that asks; transforms of one that does not ask nobody
     */
    record Means(TransformServices services, UpstreamPools upstreams, Supplier<LocalSite> site) {

        EventLoop loop() {
            return services.loops().getFirst();
        }

        /** Without meters, and, unless it asks, without anybody to ask. */
        private TransformServices lent(boolean asking, AtomicBoolean refusedCall, int blockingThreads) {
            return new TransformServices(
                    services.clock(),
                    services.scheduler(),
                    asking ? services.http() : call -> refused(refusedCall),
                    asking ? services.resolver() : host -> refused(refusedCall),
                    asking ? services.connector() : new NoConnections(refusedCall),
                    services.secrets(),
                    new MeterRegistry(OpenTelemetry.noop()),
                    new BlockingStepExecutor(blockingThreads),
                    List.of(loop()),
                    services.environment());
        }
    }

    /** A request's policy and caller. */
    record Asked(ExplainedPolicy policy, ExplainedCaller caller) {}

    /** Finds policy and caller of a request, as they are at the moment. */
    @FunctionalInterface
    interface Choice {
        Asked of(ExplainRequest request) throws InvalidRequestException;
    }

    /** An explainer, with the configuration that it was made from. */
    private record Made(ExplainedPolicy from, Explainer explainer) {}

    /** @param remarks receives, a line each, what is not as it would be in a proxy */
    Explainers(Means means, Consumer<String> remarks) {
        this.means = means;
        this.remarks = remarks;
    }

    /**
     * Explains a request.
     *
     * @param choice asked again when the policy is replaced meanwhile
     * @throws StartException when the policy cannot be used
     */
    Explanation explain(ExplainRequest request, Choice choice)
            throws InvalidRequestException, StartException, InterruptedException {
        while (true) {
            Asked asked = choice.of(request);
            Explanation explanation =
                    explainer(request.isLive(), asked.policy()).explain(request, asked.caller());
            if (explanation != null) {
                return explanation;
            }
        }
    }

    /** Makes an explainer beforehand, so that everything about the configuration has been remarked. */
    void prepare(boolean asking, ExplainedPolicy policy) throws StartException {
        explainer(asking, policy);
    }

    private Explainer explainer(boolean asking, ExplainedPolicy policy) throws StartException {
        lock.lock();
        try {
            if (closed) {
                throw new IllegalStateException("closed (expected: a running proxy)");
            }
            Made present = asking ? live : dry;
            if (present != null && present.from().equals(policy)) {
                return present.explainer();
            }
            Made made = new Made(policy, make(asking, policy));
            if (asking) {
                live = made;
            } else {
                dry = made;
            }
            if (present != null) {
                present.explainer().close();
            }
            return made.explainer();
        } finally {
            lock.unlock();
        }
    }

    private Explainer make(boolean asking, ExplainedPolicy policy) throws StartException {
        ProxyConfig config = policy.loaded().config();
        List<TransformEntry<?>> entries = policy.entries();
        AtomicBoolean refusedCall = new AtomicBoolean();
        TrialMaker maker = new TrialMaker(means.loop(), asking, remarks);
        GenerationBuilder builder = new GenerationBuilder(
                means.lent(asking, refusedCall, config.proxy().limits().blockingThreads()), maker);
        List<ConfigProblem> problems = new ArrayList<>();
        Generation generation = builder.build(entries, ConfigMapper.pipeline(config.proxy()), problems::add);
        if (generation == null) {
            throw StartException.of(problems);
        }
        TrialServices services = new TrialServices(
                means.loop(),
                means.upstreams(),
                means.site(),
                new BodyBudget(BODY_BYTES),
                settings(config),
                () -> refusedCall.getAndSet(false));
        return new Explainer(generation, entries, maker, services);
    }

    private static <T> CompletableFuture<T> refused(AtomicBoolean note) {
        note.set(true);
        return CompletableFuture.failedFuture(new IOException("nobody is asked for an explanation"));
    }

    /** Notes that a transform would have connected. */
    private record NoConnections(AtomicBoolean note) implements Connector {

        @Override
        public Route route(String host, int port, boolean secure) {
            return Route.DIRECT;
        }

        @Override
        public Socket connect(String host, int port, boolean secure) throws IOException {
            note.set(true);
            throw new IOException("nobody is asked for an explanation");
        }
    }

    private static ExplainSettings settings(ProxyConfig config) {
        ProxyAuth auth = config.proxy().auth();
        Set<ListenerKind> listeners = EnumSet.noneOf(ListenerKind.class);
        ConfigMapper.listeners(config.proxy()).forEach(listener -> listeners.add(listener.kind()));
        return new ExplainSettings(
                ConfigMapper.mode(config.tls()),
                config.tls().mode() == TlsSection.Mode.SNI_ONLY,
                ConfigMapper.passed(config.tls())::matches,
                auth != null && auth.required(),
                listeners,
                config.proxy().sniUpstreamPort(),
                config.proxy().limits().headerCount(),
                ConfigMapper.pipeline(config.proxy()).caps(),
                ConfigMapper.redaction(config.proxy()));
    }

    /** Closes what was made from policies of other configurations. Not on a loop. */
    void keepOnly(ConfigResult.@Nullable Loaded inForce) {
        lock.lock();
        try {
            dry = kept(dry, inForce);
            live = kept(live, inForce);
        } finally {
            lock.unlock();
        }
    }

    private static @Nullable Made kept(@Nullable Made made, ConfigResult.@Nullable Loaded inForce) {
        if (made == null || made.from().isOf(inForce)) {
            return made;
        }
        made.explainer().close();
        return null;
    }

    /** Closes the transforms. Not on a loop. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            keepOnly(null);
        } finally {
            lock.unlock();
        }
    }
}
