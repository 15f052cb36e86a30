package dev.sallyport.control.feed;

import dev.sallyport.control.model.WithoutCaller;
import dev.sallyport.core.PipelineFeed;
import dev.sallyport.core.PipelineUpdate;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The proxy in the same process, for callers of no workload: it serves the default account, and nobody before there is
 * one.
 */
@Singleton
public final class EmbeddedProxy {

    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedProxy.class);
    private static final Duration START = Duration.ofSeconds(20);

    /** Begins what records say of a user of no workload. */
    private static final String USER = "user:";

    /** Begins the names of workloads that are sandboxes. */
    private static final String VM = "vm_";

    private final EmbeddedWorkloads callers;
    private final EmbeddedDoor embedded;
    private final InstallationScopes scopes;

    private volatile EmbeddedWorkloads.@Nullable Unclaimed unclaimed;

    EmbeddedProxy(EmbeddedWorkloads callers, EmbeddedDoor embedded, InstallationScopes scopes) {
        this.callers = callers;
        this.embedded = embedded;
        this.scopes = scopes;
    }

    /** Refuses everybody, until a snapshot says more. Blocks until that is so. */
    public static void withhold(PipelineFeed door) {
        apply(door, PipelineUpdate.builder().ready(false).checkCredentials());
    }

    private static void apply(PipelineFeed door, PipelineUpdate.Builder update) {
        door.apply(update.build()).toCompletableFuture().join();
    }

    /**
     * Connects the proxy, if there is one. Blocks until it has the present policies, so that it serves from its start, unless
     * nobody has signed up.
     */
    @WithoutCaller("part of the start")
    public void connect() {
        PipelineFeed door = embedded.pipelines();
        if (door == null) {
            return;
        }
        if (!embedded.defaultAccount().equals(EmbeddedDoor.FIRST)) {
            apply(door, PipelineUpdate.builder().refuseUnclaimed().ready(true));
        }
        if (embedded.defaultAccount().equals(EmbeddedDoor.NONE)) {
            return;
        }
        EmbeddedWorkloads.Unclaimed served = callers.serveUnclaimed(scopes::unclaimed);
        unclaimed = served;
        if (scopes.unclaimed().isPresent()) {
            if (!served.awaitPolicies(START)) {
                LOG.warn("the policies are not applied yet; the proxy refuses everything until they are");
            }
        } else if (!embedded.defaultAccount().equals(EmbeddedDoor.FIRST)) {
            LOG.warn(
                    "there is no organization {}; callers of no workload are refused until there is",
                    embedded.defaultAccount());
        }
    }

    /**
     * Whose policies have judged a workload: callers of no workload have those of the default account. Null for nobody's, as
     * those of workloads of the file are. Never waits.
     *
     * @param workload as in the records of the audit
     */
    @WithoutCaller("it is asked of what the proxy has seen")
    public @Nullable EventOwner owner(String workload) {
        String organization =
                workload.isEmpty() || workload.startsWith(USER) ? unclaimed() : callers.organization(workload);
        return organization == null ? null : new EventOwner(organization, workload.startsWith(VM) ? workload : null);
    }

    private @Nullable String unclaimed() {
        EmbeddedWorkloads.Unclaimed served = unclaimed;
        Scope scope = served == null ? null : served.session().scope();
        return scope == null ? null : scope.organization();
    }
}
