package dev.sallyport.core;

import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.core.config.WorkloadConfig;
import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.core.pipeline.GenerationBuilder;
import dev.sallyport.core.pipeline.Pipeline;
import dev.sallyport.core.pipeline.PipelineSettings;
import dev.sallyport.core.pipeline.SecretRefFinder;
import dev.sallyport.core.redact.RedactionRegistry;
import dev.sallyport.core.secret.SecretScope;
import dev.sallyport.core.secret.SecretStore;
import dev.sallyport.core.workload.Callers;
import dev.sallyport.core.workload.WorkloadTable;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.SecretRef;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the proxy judges by: the policy of the file and what the feed has delivered, merged; with it the users of the
 * proxy and the redaction settings. Policies are replaced by one write, what tells callers by the next. One thread at a time, but for
 * {@link #generation} and {@link #transformsOfFile}.
 */
final class PolicyInForce {

    private final SecretStore secrets;
    private final EngineCallers callers;
    private final UnclaimedPolicies unclaimedPolicies;
    private final WorkloadBuilder workloads;
    private final Pipeline pipeline;
    private final RedactionRegistry redactions;
    private final Map<String, LiveWorkload> live = new HashMap<>();
    private final Map<String, WorkloadSpec> fed = new HashMap<>();
    private PipelineUpdate.Unclaimed unclaimed = new PipelineUpdate.Unclaimed.ByFile();

    /** What was delivered for callers of no workload could not be made; it is tried again. */
    private boolean unclaimedBroken;

    private volatile @Nullable FilePolicy file;
    private volatile int generation;

    /** Prepared and not yet in force: to be passed to {@link #swap}. */
    static final class Prepared {

        private final FilePolicy file;
        private final UnclaimedPolicy everybody;
        private final ProxyAuthState.Prepared users;
        private final WorkloadChanges changes;
        private final boolean selection;

        private Prepared(
                FilePolicy file,
                UnclaimedPolicy everybody,
                ProxyAuthState.Prepared users,
                WorkloadChanges changes,
                boolean selection) {
            this.file = file;
            this.everybody = everybody;
            this.users = users;
            this.changes = changes;
            this.selection = selection;
        }

        /** The workloads that will not be as they were. */
        Set<String> changed() {
            return changes.names();
        }

        /** Whether callers may be told otherwise; see {@link WorkloadChanges#changesSelection}. */
        boolean selection() {
            return selection;
        }
    }

    PolicyInForce(
            SecretStore secrets,
            EngineCallers callers,
            GenerationBuilder generations,
            WorkloadBuilder workloads,
            Pipeline pipeline,
            RedactionRegistry redactions) {
        this.secrets = secrets;
        this.callers = callers;
        this.unclaimedPolicies = new UnclaimedPolicies(secrets, generations, workloads);
        this.workloads = workloads;
        this.pipeline = pipeline;
        this.redactions = redactions;
    }

    // The file.

    /**
     * Prepares everything, so that all problems are reported at once; returns null when there are some. Blocks.
     *
     * @param stale receives the secrets that could not be read again and keep their values
     */
    @Nullable Prepared prepare(
            ConfigResult.Loaded loaded,
            List<TransformEntry<?>> given,
            List<ConfigProblem> problems,
            Consumer<String> stale) {
        FilePolicy next = FilePolicy.of(loaded.config(), given);
        ProxyAuthState.Prepared users;
        try (SecretScope reader = secrets.renew(stale)) {
            users = callers.access().prepare(next.config().proxy().auth(), reader, loaded.places(), problems::add);
        }
        UnclaimedPolicy everybody = unclaimedPolicies.fitting(next, unclaimed, problems, stale);
        WorkloadChanges changes = changes(next, problems, stale);
        if (users != null && everybody != null && problems.isEmpty()) {
            return new Prepared(next, everybody, users, changes, changes.changesSelection(pipeline.workloads()));
        }
        changes.made().forEach(workload -> pipeline.discard(workload.generation()));
        if (users != null) {
            users.close();
        }
        if (everybody != null) {
            pipeline.discard(everybody.generation());
        }
        return null;
    }

    /** The workloads of which the file would make something else; those of the file that cannot be made are problems. */
    private WorkloadChanges changes(FilePolicy next, List<ConfigProblem> problems, Consumer<String> stale) {
        Set<String> names = new TreeSet<>(next.workloads().keySet());
        names.addAll(fed.keySet());
        Set<String> gone = new HashSet<>(live.keySet());
        gone.removeAll(names);
        List<LiveWorkload> made = new ArrayList<>();
        WorkloadBuilder.Round round = unclaimedPolicies.round(next, stale);
        for (String name : names) {
            WorkloadOrigin origin = next.origin(name, fed.get(name));
            LiveWorkload present = live.get(name);
            if (present != null && isAsIs(present, origin, next.settings())) {
                renew(origin, stale);
                continue;
            }
            List<ConfigProblem> own = new ArrayList<>();
            LiveWorkload workload = round.workload(origin, present, own);
            if (workload != null) {
                made.add(workload);
            }
            if (origin.fed() == null) {
                problems.addAll(own);
            } else {
                UnclaimedPolicies.warn("the workload " + name, own);
            }
        }
        return new WorkloadChanges(made, gone);
    }

    private static boolean isAsIs(LiveWorkload present, WorkloadOrigin origin, PipelineSettings settings) {
        return present.problems().isEmpty()
                && present.settings().equals(settings)
                && present.from().makesTheSame(origin);
    }

    /** A reload reads every secret of the file again, also for what stays as it is. */
    private void renew(WorkloadOrigin origin, Consumer<String> stale) {
        WorkloadConfig own = origin.file();
        if (own == null) {
            return;
        }
        try (SecretScope reader = secrets.renew(stale)) {
            for (TransformEntry<?> entry : workloads.ofFile(origin)) {
                for (SecretRef ref : SecretRefFinder.in(entry.config())) {
                    reader.resolve(ref);
                }
            }
        } catch (ConfigException e) {
            // Its present value stays: what is in use already cannot fail to resolve.
            stale.accept(String.valueOf(e.getMessage()));
        }
    }

    /** Puts the prepared policy in force atomically and retires the previous one. */
    void swap(Prepared next) {
        file = next.file;
        unclaimedBroken = next.everybody.broken();
        replace(next.everybody, next.changes, next.users);
    }

    /**
     * Puts the policies in force, then what tells callers: whoever is told by the former is refused where its workload
     * has gone meanwhile.
     *
     * @param everybody null: as before
     * @param users null: as before
     */
    private void replace(
            @Nullable UnclaimedPolicy everybody, WorkloadChanges changes, ProxyAuthState.@Nullable Prepared users) {
        WorkloadTable<Generation> before = pipeline.workloads();
        WorkloadTable<Generation> after = changes.appliedTo(before);
        Generation all = everybody == null ? pipeline.unclaimed() : everybody.generation();
        pipeline.swap(all, after, changes.ending(before));
        callers.swap(users, after, unclaimed.organization());
        changes.gone().forEach(live::remove);
        changes.made().forEach(workload -> live.put(workload.name(), workload));
        if (everybody != null) {
            generation = all.isOfWorkload() ? generation : all.number();
            redactions.retain(
                    "", Callers::isUnclaimed, Set.copyOf(all.names()), everybody.secrets(), everybody.redacting());
        }
        for (String name : changes.gone()) {
            redactions.retain(name, name::equals, Set.of(), Set.of(), List.of());
        }
        for (LiveWorkload workload : changes.made()) {
            redactions.retain(
                    workload.name(),
                    workload.name()::equals,
                    Set.copyOf(workload.generation().names()),
                    workload.secrets(),
                    workload.redacting());
        }
        redactions.sweep();
    }

    /** The number of the generation of callers without a workload; 0 before the first. */
    int generation() {
        return generation;
    }

    // The feed.

    /**
     * What an update has changed.
     *
     * @param workloads the names of those that are not as they were
     * @param everybody whether the policy of callers of no workload is another
     * @param selection whether callers may be told otherwise
     * @param replaced of which workloads something was made in the place of what was in force, callers of no workload
     *     among them as {@link FeedRests#UNCLAIMED}
     */
    record Outcome(
            Applied applied, Set<String> workloads, boolean everybody, boolean selection, Set<String> replaced) {}

    /** Applies an update of the feed, but for its secrets, which are there already. Blocks. */
    Outcome apply(PipelineUpdate update) {
        FilePolicy from = file;
        if (from == null) {
            throw new IllegalStateException("no policy of the file yet (expected: a proxy that has begun to start)");
        }
        if (update.checksCredentials()) {
            callers.checkCredentials();
        }
        Map<String, WorkloadSpec> delivered = new HashMap<>();
        update.upserts().forEach(workload -> delivered.put(workload.name(), workload));
        Set<String> removed = new HashSet<>(update.isWhole() ? fed.keySet() : update.removals());
        removed.removeAll(delivered.keySet());
        Map<String, List<ConfigProblem>> problems = new HashMap<>();
        WorkloadChanges changes = changes(from, delivered, removed, problems);
        PipelineUpdate.Unclaimed how = update.unclaimed();
        UnclaimedPolicy everybody = null;
        boolean broken = unclaimedBroken;
        if (how == null && update.isWhole()) {
            how = new PipelineUpdate.Unclaimed.ByFile();
        }
        if (how != null && (unclaimedBroken || !how.equals(unclaimed))) {
            List<ConfigProblem> own = new ArrayList<>();
            everybody = unclaimedPolicies.of(from, how, own, null);
            broken = everybody == null;
            if (everybody == null) {
                problems.put("", own);
                everybody = unclaimedPolicies.refusing(from);
            }
            unclaimed = how;
            unclaimedBroken = true; // until it is in force
        }
        boolean selection = changes.changesSelection(pipeline.workloads());
        Set<String> replaced = changes.made().stream()
                .map(LiveWorkload::name)
                .filter(live::containsKey)
                .collect(Collectors.toSet());
        if (everybody != null) {
            replaced.add(FeedRests.UNCLAIMED);
        }
        replace(everybody, changes, null);
        unclaimedBroken = broken;
        removed.forEach(fed::remove);
        fed.putAll(delivered);
        clashes(changes, problems);
        return new Outcome(
                new Applied(update.revision(), problems), changes.names(), everybody != null, selection, replaced);
    }

    private WorkloadChanges changes(
            FilePolicy from,
            Map<String, WorkloadSpec> delivered,
            Set<String> removed,
            Map<String, List<ConfigProblem>> problems) {
        List<LiveWorkload> made = new ArrayList<>();
        Set<String> gone = new HashSet<>();
        WorkloadBuilder.Round round = unclaimedPolicies.round(from, null);
        Set<String> names = new TreeSet<>(delivered.keySet());
        for (String name : removed) {
            if (from.workloads().containsKey(name)) {
                names.add(name);
            } else if (live.containsKey(name)) {
                gone.add(name);
            }
        }
        for (String name : names) {
            WorkloadOrigin origin = from.origin(name, delivered.get(name));
            LiveWorkload present = live.get(name);
            if (present != null && isAsIs(present, origin, from.settings())) {
                continue;
            }
            List<ConfigProblem> own = new ArrayList<>();
            LiveWorkload workload = round.workload(origin, present, own);
            if (workload != null) {
                made.add(workload);
            }
            if (!own.isEmpty()) {
                problems.put(name, own);
            }
        }
        return new WorkloadChanges(made, gone);
    }

    private void clashes(WorkloadChanges changes, Map<String, List<ConfigProblem>> problems) {
        WorkloadTable<Generation> table = pipeline.workloads();
        for (LiveWorkload workload : changes.made()) {
            for (String other : table.clashes(workload.workload())) {
                problems.computeIfAbsent(workload.name(), name -> new ArrayList<>())
                        .add(WorkloadBuilder.problem(
                                "",
                                "its selectors do not tell it from the workload " + other
                                        + ": callers of both are refused",
                                "other ranges, or other users"));
            }
        }
    }

    /** The transforms of a workload with their places, for an explanation; null when there is no such workload. */
    @Nullable List<TransformEntry<?>> entries(String workload) {
        LiveWorkload present = live.get(workload);
        return present == null ? null : workloads.entries(present.from());
    }

    /** The transforms of callers of no workload. */
    List<TransformEntry<?>> entries() {
        FilePolicy from = file;
        if (from == null) {
            return List.of();
        }
        return workloads.entries(UnclaimedPolicies.origin(from, unclaimed));
    }

    /** The names of the transforms that the file has for callers of no workload. Any thread. */
    Set<String> transformsOfFile() {
        FilePolicy from = file;
        return from == null
                ? Set.of()
                : workloads.ofFile(from.everybody()).stream()
                        .map(entry -> entry.factory().descriptor().name())
                        .collect(Collectors.toUnmodifiableSet());
    }

    /** Whether callers of no workload are refused. */
    boolean refusesUnclaimed() {
        return unclaimed instanceof PipelineUpdate.Unclaimed.Refused;
    }

    /** Why a workload is refused everything; empty when it is not. */
    List<ConfigProblem> problems(String workload) {
        LiveWorkload present = live.get(workload);
        return present == null ? List.of() : present.problems();
    }
}
