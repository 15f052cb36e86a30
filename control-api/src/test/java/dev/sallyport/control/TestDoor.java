package dev.sallyport.control;

import dev.sallyport.core.Applied;
import dev.sallyport.core.PipelineFeed;
import dev.sallyport.core.PipelineUpdate;
import dev.sallyport.core.WorkloadSpec;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.Location;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The proxy of the same process, as far as the control plane sees it: it can be slow, and refuse what it is told. */
final class TestDoor implements PipelineFeed {

    private static final String VM = "vm_";
    private static final String ORGANIZATION = "org_";

    private final Map<String, WorkloadSpec> workloads = new HashMap<>();
    private final List<Runnable> late = new ArrayList<>();
    private boolean holds;
    private boolean clashes;

    /** Answers nothing that concerns VMs, from now on. */
    synchronized void hold() {
        holds = true;
    }

    /** Answers all that was asked meanwhile. */
    void letGo() {
        List<Runnable> answers;
        synchronized (this) {
            holds = false;
            answers = List.copyOf(late);
            late.clear();
        }
        answers.forEach(Runnable::run);
    }

    /** Whether VMs cannot be told from other workloads. */
    synchronized void clash(boolean on) {
        clashes = on;
    }

    /** Whether it knows a workload of this name. */
    synchronized boolean knows(String name) {
        return workloads.containsKey(name);
    }

    /** Who it knows but for those who come with API keys, who are called like their organization. */
    synchronized List<String> names() {
        return workloads.keySet().stream()
                .filter(name -> !name.startsWith(ORGANIZATION))
                .toList();
    }

    /** What it was told of a workload beyond its name. */
    synchronized Map<String, String> attributes(String name) {
        return Objects.requireNonNull(workloads.get(name), name).attributes();
    }

    /** The organizations whose API keys it knows. */
    synchronized List<String> organizations() {
        return workloads.keySet().stream()
                .filter(name -> name.startsWith(ORGANIZATION))
                .toList();
    }

    @Override
    public synchronized CompletionStage<Applied> apply(PipelineUpdate update) {
        boolean ofVms = update.upserts().stream().anyMatch(spec -> spec.name().startsWith(VM))
                || update.removals().stream().anyMatch(name -> name.startsWith(VM));
        if (!holds || !ofVms) {
            return CompletableFuture.completedStage(take(update));
        }
        CompletableFuture<Applied> answer = new CompletableFuture<>();
        late.add(() -> answer.complete(take(update)));
        return answer;
    }

    private synchronized Applied take(PipelineUpdate update) {
        Map<String, List<ConfigProblem>> problems = new HashMap<>();
        update.removals().forEach(workloads::remove);
        update.upserts().forEach(spec -> {
            boolean asItWas = spec.equals(workloads.put(spec.name(), spec)); // nothing is said again, as in the engine
            if (clashes && !asItWas && spec.name().startsWith(VM)) {
                problems.put(
                        spec.name(),
                        List.of(new ConfigProblem(new Location("pipeline", 0, 0), "", "it clashes", "another range")));
            }
        });
        return new Applied(update.revision(), problems);
    }
}
