package dev.sallyport.core;

import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.core.explain.ExplainRequest;
import dev.sallyport.core.explain.Explanation;
import dev.sallyport.core.explain.InvalidRequestException;
import dev.sallyport.core.pipeline.Pipeline;
import dev.sallyport.spi.Principal;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Explains requests by the policies in force. Thread-safe; blocks. */
final class EngineExplanations implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(EngineExplanations.class);

    private final Explainers explainers;
    private final PolicyInForce policy;
    private final Pipeline pipeline;
    private final ReentrantLock changing;
    private volatile ConfigResult.@Nullable Loaded configuration;

    /** Guarded by the lock. */
    private @Nullable ExplainedPolicy latest;

    /** @param changing held while the policy is changed */
    EngineExplanations(Explainers.Means means, PolicyInForce policy, Pipeline pipeline, ReentrantLock changing) {
        this.explainers = new Explainers(means, remark -> LOG.info("explain: {}", remark));
        this.policy = policy;
        this.pipeline = pipeline;
        this.changing = changing;
    }

    /** A configuration is in force; what explained by an earlier one is closed, off this thread. */
    void inForce(ConfigResult.Loaded loaded) {
        configuration = loaded;
        Thread.ofVirtual().name("sallyport-explain").start(() -> explainers.keepOnly(loaded));
    }

    /** As {@link EgressProxy#explain}. */
    Explanation explain(ExplainRequest request) throws InvalidRequestException, InterruptedException {
        try {
            return explainers.explain(request, this::asked);
        } catch (StartException e) {
            // It could be built for traffic.
            throw new IllegalStateException("the configuration in force cannot be built again", e);
        }
    }

    private Explainers.Asked asked(ExplainRequest request) throws InvalidRequestException {
        ConfigResult.Loaded loaded = configuration;
        if (loaded == null) {
            throw new IllegalStateException("not started (expected: a running proxy)");
        }
        changing.lock();
        try {
            boolean known = Preflight.isUser(loaded.config(), request.user());
            Principal caller = ExplainedPolicy.caller(request, pipeline.workloads(), known);
            String name = caller.workload();
            List<TransformEntry<?>> own = policy.entries(name);
            return new Explainers.Asked(
                    own == null ? explained(loaded, "", policy.entries()) : explained(loaded, name, own),
                    ExplainedPolicy.served(caller, own == null && policy.refusesUnclaimed(), policy.problems(name)));
        } finally {
            changing.unlock();
        }
    }

    /** The policy that was explained last, if it is this one: then nothing has to be made. */
    private ExplainedPolicy explained(ConfigResult.Loaded loaded, String name, List<TransformEntry<?>> entries) {
        ExplainedPolicy last = latest;
        if (last == null
                || !last.isOf(loaded)
                || !last.workload().equals(name)
                || !last.entries().equals(entries)) {
            last = new ExplainedPolicy(loaded, name, entries);
            latest = last;
        }
        return last;
    }

    @Override
    public void close() {
        explainers.close();
    }
}
