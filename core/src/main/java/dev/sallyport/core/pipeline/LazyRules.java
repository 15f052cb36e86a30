package dev.sallyport.core.pipeline;

import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.toolkit.match.CompiledRules;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rules of a workload that may never be active: compiled to check them, dropped until they are used, and again when they
 * have not been for a while. Thread-safe; loops that need them at the same moment may compile them twice.
 */
final class LazyRules implements RuleSet {

    /** More rules, in one list or in all of a pipeline, are compiled at once, for which an event loop has no time. */
    static final int MOST = 500;

    private final List<Rule> rules;
    private final boolean loose;

    /** Whether they may be compiled on an event loop, and dropped. */
    private volatile boolean lazy;

    private volatile @Nullable CompiledRules compiled;

    /** Written by loops without order: it only has to be seen in time. */
    private boolean used;

    private LazyRules(List<Rule> rules, boolean loose, CompiledRules compiled, boolean lazy) {
        this.rules = rules;
        this.loose = loose;
        this.compiled = compiled;
        this.lazy = lazy;
    }

    /**
     * @param loose whether the rules must hold for every spelling of a path
     * @param later whether {@link #bound} may drop them until their first use
     * @throws ConfigException as {@link CompiledRules#of}
     */
    static LazyRules of(List<Rule> rules, boolean loose, boolean later) throws ConfigException {
        CompiledRules compiled = compile(rules, loose);
        return new LazyRules(List.copyOf(rules), loose, compiled, later && rules.size() <= MOST);
    }

    private static CompiledRules compile(List<Rule> rules, boolean loose) throws ConfigException {
        return loose ? CompiledRules.loose(rules) : CompiledRules.of(rules);
    }

    /** What transforms use: without a detour if the rules are compiled. */
    RuleSet use() {
        CompiledRules present = compiled;
        return present == null || lazy ? this : present;
    }

    /**
     * Bounds what an event loop may have to compile for the first request of a pipeline: what is beyond is compiled now,
     * and kept; what is within, and has not been used, is dropped. Not on an event loop.
     *
     * @param all of the pipeline
     */
    static void bound(List<LazyRules> all) {
        int onLoop = 0;
        for (LazyRules some : all) {
            if (some.lazy && onLoop + some.rules.size() > MOST) {
                some.lazy = false;
                some.compiled();
            } else if (some.lazy) {
                onLoop += some.rules.size();
                some.dropUnused();
            }
        }
    }

    /** Drops what was compiled if it has not been used since this was last called. */
    void dropIdle() {
        dropUnused();
        used = false;
    }

    private void dropUnused() {
        if (lazy && !used) {
            compiled = null;
        }
    }

    /** Whether they are compiled. */
    boolean isCompiled() {
        return compiled != null;
    }

    private CompiledRules compiled() {
        if (!used) {
            used = true;
        }
        CompiledRules present = compiled;
        if (present == null) {
            try {
                present = compile(rules, loose);
            } catch (ConfigException e) {
                throw new IllegalStateException("rules that have been compiled before", e);
            }
            compiled = present;
        }
        return present;
    }

    /** The rule at {@link CompiledRules#ambiguousRule}; null when there is none. */
    @Nullable Rule ambiguousRule(Destination destination, String method, String rawPath) {
        int index = compiled().ambiguousRule(destination, method, rawPath);
        return index == NO_MATCH ? null : rules.get(index);
    }

    /** As {@link CompiledRules#decideByTarget}. */
    boolean decideByTarget(Destination destination) {
        return compiled().decideByTarget(destination);
    }

    @Override
    public int match(Destination destination, String method, String decodedPath) {
        return compiled().match(destination, method, decodedPath);
    }

    @Override
    public boolean reaches(Destination destination) {
        return compiled().reaches(destination);
    }

    @Override
    public boolean reachesThrough(Destination tunnelTarget) {
        return compiled().reachesThrough(tunnelTarget);
    }

    @Override
    public boolean isEmpty() {
        return rules.isEmpty();
    }
}
