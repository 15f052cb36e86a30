package dev.sallyport.compare.scenario;

import dev.sallyport.compare.load.Dialler;
import dev.sallyport.compare.load.Load;
import dev.sallyport.compare.peer.Ability;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Something that all peers do which can. The first of its metrics is the one that plots show and ratios are made of. */
public sealed interface Scenario {

    /** The policy of peers that have no policies: passes everything on. */
    String OPEN = "open";

    String name();

    /** What happens, in one sentence. */
    String title();

    Set<Ability> needs();

    /** Which configuration of a peer that has several. */
    String policy();

    List<Metric> metrics();

    /** Makes load for a subject. */
    interface Loads {
        Load make(Dialler dialler, Subject subject, Settings settings);
    }

    /** Measures a subject that has just been started. */
    interface Fresh {
        Map<String, Double> measure(Bench bench) throws IOException, InterruptedException;
    }

    /**
     * Load on peers that run and are warm, in windows that alternate between them.
     *
     * @param warmUp what they are warmed up with
     * @param awake whether processors are kept from sleeping, where the machine lets us
     */
    record Steady(
            String name,
            String title,
            Set<Ability> needs,
            String policy,
            List<Metric> metrics,
            Loads loads,
            Loads warmUp,
            boolean awake)
            implements Scenario {

        /** Warmed up with what is measured. */
        Steady(String name, String title, Set<Ability> needs, String policy, List<Metric> metrics, Loads loads) {
            this(name, title, needs, policy, metrics, loads, loads, false);
        }
    }

    /**
     * A peer is started for each sample, and nothing else runs meanwhile.
     *
     * @param pinned false: the peer has all processors of the machine
     */
    record Start(
            String name,
            String title,
            Set<Ability> needs,
            String policy,
            List<Metric> metrics,
            Fresh cell,
            boolean pinned)
            implements Scenario {

        /** On the processors of proxies. */
        Start(String name, String title, Set<Ability> needs, String policy, List<Metric> metrics, Fresh cell) {
            this(name, title, needs, policy, metrics, cell, true);
        }
    }
}
