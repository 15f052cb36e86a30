package dev.sallyport.core.explain;

import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.core.pipeline.PrebuiltConfig;
import dev.sallyport.core.pipeline.TransformMaker;
import dev.sallyport.core.pipeline.UnbuiltTransform;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.spi.Transform;
import io.netty.channel.EventLoop;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes transforms of which it is known which of their rules match. One that cannot be made, because what it needs is
 * not on this machine, is replaced by an {@link UnbuiltTransform}. Thread-safe.
 */
public final class TrialMaker implements TransformMaker {

    private final EventLoop loop;
    private final boolean live;
    private final Consumer<String> remarks;

    /** Receives the rules that match. On the loop only. */
    private @Nullable Consumer<Rule> listener;

    /**
     * @param loop where requests are judged
     * @param live whether transforms may contact anything
     * @param remarks receives, a line each, what could not be made, and why
     */
    public TrialMaker(EventLoop loop, boolean live, Consumer<String> remarks) {
        this.loop = loop;
        this.live = live;
        this.remarks = remarks;
    }

    /** Sets who is told of rules that match; null for nobody. On the loop. */
    void listen(@Nullable Consumer<Rule> to) {
        listener = to;
    }

    @Override
    public Transform make(TransformEntry<?> entry, BuildContext context) throws ConfigException {
        ExplainBuildContext lent = new ExplainBuildContext(context);
        try {
            return entry.create(lent);
        } catch (ConfigException e) {
            if (!lent.missing().isEmpty()) {
                Transform made = withStandIns(entry, lent);
                if (made != null) {
                    return made;
                }
            }
            String why = entry.problem(e).toString();
            remarks.accept(why);
            return new UnbuiltTransform(context.rules(entry.capabilities().scope()), why);
        }
    }

    private @Nullable Transform withStandIns(TransformEntry<?> entry, ExplainBuildContext lent) {
        try {
            Transform made = entry.create(lent.withStandIns());
            remarks.accept(
                    entry.at() + ": " + entry.pointer() + ": counts as set: " + String.join(", ", lent.missing()));
            return made;
        } catch (ConfigException e) {
            return null;
        }
    }

    /** The embedding application's own instances serve traffic. */
    @Override
    public void unmake(TransformEntry<?> entry, Transform transform) {
        if (!(entry.config() instanceof PrebuiltConfig)) {
            TransformMaker.super.unmake(entry, transform);
        }
    }

    @Override
    public RuleSet rules(String pointer, List<Rule> rules, RuleSet compiled) {
        return new WatchedRules(this, List.copyOf(rules), compiled);
    }

    @Override
    public boolean mayCallOut() {
        return live;
    }

    private void matched(Rule rule) {
        if (loop.inEventLoop() && listener != null) {
            listener.accept(rule);
        }
    }

    /** Tells of each rule that matches. */
    private record WatchedRules(TrialMaker maker, List<Rule> rules, RuleSet compiled) implements RuleSet {

        @Override
        public int match(Destination destination, String method, String decodedPath) {
            int rule = compiled.match(destination, method, decodedPath);
            if (rule != NO_MATCH) {
                maker.matched(rules.get(rule));
            }
            return rule;
        }

        @Override
        public boolean reaches(Destination destination) {
            return compiled.reaches(destination);
        }

        @Override
        public boolean reachesThrough(Destination tunnelTarget) {
            return compiled.reachesThrough(tunnelTarget);
        }

        @Override
        public boolean isEmpty() {
            return compiled.isEmpty();
        }
    }
}
