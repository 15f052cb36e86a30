package dev.sallyport.control.feed;

import dev.sallyport.control.model.WithoutCaller;
import dev.sallyport.control.proxy.Proxy;
import dev.sallyport.core.PipelineSpec;
import dev.sallyport.core.PipelineUpdate;
import dev.sallyport.core.WorkloadSpec;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Workloads of many organizations at the proxy in the same process, and its callers of no workload. Each has a session of
 * its own at the {@link Fanout}, so it is known which change is in force for it. Until its policies come, a workload is
 * refused everything: at no moment is it judged by policies of others. Thread-safe; nothing blocks but where it says so.
 */
@Singleton
public final class EmbeddedWorkloads {

    /** What judges a workload until its policies come: nothing passes. */
    private static final PipelineSpec NOTHING =
            PipelineSpec.of(Compiler.refusing(List.of()).json());

    /** How many workloads that were removed are known by name: records of their last requests are still to come. */
    private static final int REMEMBERED = 10_000;

    private final Fanout fanout;
    private final boolean proxied;
    private final InstallationScopes scopes;
    private final EmbeddedUpdates updates;
    private final Map<String, Workload> present = new HashMap<>();

    /** When the proxy will not know those any more that are being removed. */
    private final Map<String, CompletionStage<Void>> removing = new ConcurrentHashMap<>();

    /** The organizations of those that were removed last. */
    private final Map<String, String> gone = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
            return size() > REMEMBERED;
        }
    };

    EmbeddedWorkloads(Fanout fanout, EmbeddedDoor embedded, InstallationScopes scopes, EmbeddedUpdates updates) {
        this.fanout = fanout;
        this.proxied = embedded.pipelines() != null;
        this.scopes = scopes;
        this.updates = updates;
    }

    /** Whether there is a proxy in this process; without one, no workload can be connected. */
    @WithoutCaller("it shows nothing")
    public boolean hasProxy() {
        return proxied;
    }

    /**
     * Connects a workload. Its policies come later: see {@link Workload#awaitFirst}.
     *
     * @param organization whose policies it has
     * @param name names it in records, metrics and explanations of the proxy; no other workload there has it
     * @param selectors adds what tells it from others: source ranges, users, or both; called for each update, on any thread
     * @return completes when the proxy knows the workload, which is refused everything until its policies come;
     *     exceptionally when the proxy has ended. What depends on it must not block: it runs on the thread of all changes
     * @throws IllegalStateException when there is no proxy in this process, or a workload of this name is connected
     */
    @WithoutCaller("whoever connects it has found out whose it is")
    public synchronized CompletionStage<Workload> connect(
            String organization, String name, Consumer<WorkloadSpec.Builder> selectors) {
        if (!proxied) {
            throw new IllegalStateException("no proxy in this process (expected: one, for workload " + name + ")");
        }
        if (present.containsKey(name)) {
            throw new IllegalStateException("workload " + name + " is connected (expected: each name once)");
        }
        Workload workload = new Workload(name, organization, selectors);
        workload.spec(null); // selectors that throw do so here, and not among the changes of others
        present.put(name, workload);
        try {
            CompletionStage<Void> told = updates.tell(workload);
            fanout.connect(workload.session());
            return told.thenApply(done -> workload);
        } catch (RuntimeException | Error e) {
            remove(workload); // so that it can be tried again
            throw e;
        }
    }

    /** The connected workload of this name, or null. */
    @WithoutCaller("whoever asks has found out whose it is")
    public synchronized @Nullable Workload get(String name) {
        return present.get(name);
    }

    /**
     * Whose policies a workload has, or had before it was removed: its last records come afterwards. Null where none of this
     * name was connected, or not lately.
     */
    synchronized @Nullable String organization(String name) {
        Workload workload = present.get(name);
        return workload == null ? gone.get(name) : workload.organization;
    }

    /**
     * Removes the workload of this name. It may be called again.
     *
     * @return completes when the proxy does not know it; what it has under way ends within two seconds
     */
    @WithoutCaller("whoever removes it has found out whose it is")
    public synchronized CompletionStage<Void> remove(String name) {
        Workload workload = present.get(name);
        return workload == null
                ? removing.getOrDefault(name, CompletableFuture.completedStage(null))
                : remove(workload);
    }

    private synchronized CompletionStage<Void> remove(Workload workload) {
        if (present.get(workload.name()) != workload) {
            return CompletableFuture.completedStage(null);
        }
        workload.go();
        CompletionStage<Void> removed =
                updates.remove(workload); // first: what fails is tried again as long as it is there
        present.remove(workload.name());
        gone.put(workload.name(), workload.organization);
        fanout.disconnect(workload.session());
        removing.put(workload.name(), removed);
        removed.whenComplete((done, fault) -> removing.remove(workload.name(), removed));
        return removed;
    }

    /** Has callers of no workload judged by policies, from the moment on at which it is known whose. */
    Unclaimed serveUnclaimed(Supplier<Optional<Scope>> whose) {
        Unclaimed unclaimed = new Unclaimed(whose);
        fanout.connect(unclaimed.session());
        return unclaimed;
    }

    /** Callers of no workload. Nothing is said of them before their policies have come. */
    final class Unclaimed extends EmbeddedCallers {

        private Unclaimed(Supplier<Optional<Scope>> whose) {
            super("", "embedded", whose, fanout, updates);
        }

        @Override
        @Nullable Object addTo(PipelineUpdate.Builder update, @Nullable Snapshot now) {
            PipelineSpec policies = policies(now);
            if (policies != null) {
                update.unclaimed(policies, organization()).ready(true);
            }
            return policies;
        }

        @Override
        String organization() {
            Scope scope = session().scope();
            return scope == null ? "" : scope.organization();
        }

        @Override
        public String toString() {
            return "callers of no workload";
        }
    }

    /** A connected workload. Thread-safe. */
    public final class Workload extends EmbeddedCallers {

        private final String organization;
        private volatile Consumer<WorkloadSpec.Builder> selectors;

        private Workload(String name, String organization, Consumer<WorkloadSpec.Builder> selectors) {
            super(name, name, () -> Optional.of(scopes.of(organization)), fanout, updates);
            this.organization = organization;
            this.selectors = selectors;
        }

        @Override
        String organization() {
            return organization;
        }

        /** Names it at the proxy. */
        public String name() {
            return key();
        }

        /** The number up to which all changes of its organization are in force for it; 0 while it is refused everything. */
        @WithoutCaller("it shows a number")
        public long applied() {
            return session().applied();
        }

        /** What of its policies does not work there. */
        @WithoutCaller("whoever asks has found out whose it is")
        public List<Proxy.Problem> problems() {
            return found();
        }

        /** Waits until its policies are in force. Blocks. */
        @WithoutCaller("it shows nothing")
        public boolean awaitFirst(Duration timeout) {
            return awaitPolicies(timeout);
        }

        /**
         * Changes what tells it from others.
         *
         * @return completes when the proxy goes by it; what is under way and belongs to it no more ends within two seconds
         */
        @WithoutCaller("whoever changes it has found out whose it is")
        public CompletionStage<Void> select(Consumer<WorkloadSpec.Builder> other) {
            selectors = other;
            return isGone() ? CompletableFuture.completedStage(null) : updates.tell(this);
        }

        /**
         * Removes it.
         *
         * @return completes when the proxy does not know it any more; what it has under way ends within two seconds
         */
        @WithoutCaller("whoever removes it has found out whose it is")
        public CompletionStage<Void> remove() {
            return EmbeddedWorkloads.this.remove(this);
        }

        @Override
        public boolean isProxy() {
            return false;
        }

        @Override
        Object addTo(PipelineUpdate.Builder update, @Nullable Snapshot now) {
            WorkloadSpec spec = spec(now);
            update.upsert(spec);
            return spec;
        }

        private WorkloadSpec spec(@Nullable Snapshot now) {
            WorkloadSpec.Builder spec = WorkloadSpec.builder(name());
            selectors.accept(spec);
            PipelineSpec policies = policies(now);
            return spec.pipeline(policies == null ? NOTHING : policies).build();
        }

        @Override
        public String toString() {
            return "workload " + name();
        }
    }
}
