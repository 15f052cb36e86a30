package dev.sallyport.control.feed;

import dev.sallyport.control.sandbox.Gate;
import dev.sallyport.core.Applied;
import dev.sallyport.core.PipelineFeed;
import dev.sallyport.core.PipelineSpec;
import dev.sallyport.core.PipelineUpdate;
import dev.sallyport.core.WorkloadSpec;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.WorkloadNames;
import java.net.Inet4Address;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The proxy of the same process as the gate of sandboxes: each guest's address is a workload with the name of its VM. */
public final class GuestGate implements Gate {

    private static final Logger LOG = LoggerFactory.getLogger(GuestGate.class);

    /** No workload of a file is called so: its selectors would take the place of the file's. */
    private static final String WHOLE_SUBNET = WorkloadNames.OF_CONTROL + "sandboxes";

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final EmbeddedWorkloads workloads;
    private final boolean guestsAreMadeUp;

    /** What was asked of the proxy and is not undone; an answer may still be awaited. */
    private final Map<String, CompletableFuture<EmbeddedWorkloads.Workload>> claims = new ConcurrentHashMap<>();

    /** @param guestsAreMadeUp whether nothing of guests runs, so that there is nothing to be judged */
    public GuestGate(EmbeddedWorkloads workloads, boolean guestsAreMadeUp) {
        this.workloads = workloads;
        this.guestsAreMadeUp = guestsAreMadeUp;
    }

    /**
     * Refuses everything that comes from addresses of guests, as long as no VM has claimed them. Blocks until that is so.
     *
     * @param subnet such as {@code 10.77.0.0/16}
     */
    public static void shut(PipelineFeed door, String subnet) {
        WorkloadSpec nobody = WorkloadSpec.builder(WHOLE_SUBNET)
                .sourceCidr(subnet)
                .pipeline(PipelineSpec.of(Compiler.refusing(List.of()).json()))
                .build();
        Applied applied = door.apply(PipelineUpdate.builder().upsert(nobody).build())
                .toCompletableFuture()
                .join();
        LOG.info("{} belongs to sandboxes: whatever comes from there is refused, unless it is a VM's", subnet);
        for (ConfigProblem problem : applied.problems().getOrDefault(WHOLE_SUBNET, List.of())) {
            LOG.error(
                    "the addresses of sandboxes, {}, are not theirs alone: {} (expected: {}, or another range in control.sandboxes.subnet)",
                    subnet,
                    problem.message(),
                    problem.expected());
        }
    }

    @Override
    public @Nullable String problem() {
        return isPresent() || guestsAreMadeUp
                ? null
                : "no proxy runs in this process, and nothing else can judge what guests do";
    }

    @Override
    public boolean isPresent() {
        return workloads.hasProxy();
    }

    @Override
    public void claim(String vm, String organization, Inet4Address address) throws InterruptedException {
        String problem = problem();
        if (problem != null) {
            throw new IllegalStateException(problem);
        }
        if (!isPresent()) {
            return;
        }
        EmbeddedWorkloads.Workload known = claimed(vm);
        if (known != null && known.isRefused()) {
            release(vm); // what stood in its way may be gone, which the proxy looks at only where something changes
        }
        CompletableFuture<EmbeddedWorkloads.Workload> claim =
                claims.computeIfAbsent(vm, name -> connect(name, organization, address));
        try {
            finished(claim);
        } catch (IllegalStateException e) {
            if (claim.isCompletedExceptionally()) {
                claims.remove(vm, claim);
            }
            throw e;
        }
    }

    private CompletableFuture<EmbeddedWorkloads.Workload> connect(
            String vm, String organization, Inet4Address address) {
        return workloads
                .connect(
                        organization,
                        vm,
                        selectors -> selectors
                                .sourceCidr(address.getHostAddress())
                                .attributes(Map.of("vm_id", vm, WorkloadSpec.ORGANIZATION, organization)))
                .toCompletableFuture();
    }

    /** Null where it is not known at the proxy yet. */
    private EmbeddedWorkloads.@Nullable Workload claimed(String vm) {
        CompletableFuture<EmbeddedWorkloads.Workload> claim = claims.get(vm);
        return claim == null || claim.isCompletedExceptionally() ? null : claim.getNow(null);
    }

    @Override
    public boolean confirms(String vm, long revision) {
        if (!isPresent()) {
            return guestsAreMadeUp;
        }
        EmbeddedWorkloads.Workload workload = claimed(vm);
        return workload != null && !workload.isRefused() && workload.applied() > 0 && workload.applied() >= revision;
    }

    @Override
    public void release(String vm) throws InterruptedException {
        if (claims.containsKey(vm)) {
            finished(workloads.remove(vm));
            claims.remove(vm);
        }
    }

    private static <T> T finished(CompletionStage<T> stage) throws InterruptedException {
        try {
            return stage.toCompletableFuture().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new IllegalStateException(
                    "the proxy has not answered within " + PATIENCE.toSeconds() + " s (expected: it knows the VM)", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException("the proxy does not take a workload: " + e.getCause(), e);
        }
    }
}
