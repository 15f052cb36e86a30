package dev.sallyport.core;

import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.core.pipeline.GenerationBuilder;
import dev.sallyport.core.pipeline.RedactionPreferences;
import dev.sallyport.core.secret.SecretScope;
import dev.sallyport.core.secret.SecretStore;
import dev.sallyport.spi.SecretRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the policies of callers of no workload, out of a file and what was delivered. For one thread at a time; blocks. */
final class UnclaimedPolicies {

    private static final Logger LOG = LoggerFactory.getLogger(UnclaimedPolicies.class);

    /** In warnings. */
    private static final String NOBODYS = "callers of no workload";

    private final SecretStore secrets;
    private final GenerationBuilder generations;
    private final WorkloadBuilder workloads;

    UnclaimedPolicies(SecretStore secrets, GenerationBuilder generations, WorkloadBuilder workloads) {
        this.secrets = secrets;
        this.generations = generations;
        this.workloads = workloads;
    }

    /** What the policy is made of. */
    static WorkloadOrigin origin(FilePolicy file, PipelineUpdate.Unclaimed how) {
        return how instanceof PipelineUpdate.Unclaimed.Judged judged
                ? file.everybody()
                        .with(WorkloadSpec.builder("")
                                .pipeline(judged.pipeline())
                                .build())
                : file.everybody();
    }

    /** Warns of what was delivered. */
    static void warn(String whose, List<ConfigProblem> problems) {
        problems.forEach(problem -> LOG.warn("the policy that was delivered for {}: {}", whose, problem));
    }

    /** What makes policies of a file; secrets are read again if {@code stale} is given. */
    WorkloadBuilder.Round round(FilePolicy file, @Nullable Consumer<String> stale) {
        return workloads.round(file.settings(), () -> scope(stale), file.blind());
    }

    private SecretScope scope(@Nullable Consumer<String> stale) {
        return stale == null ? secrets.open() : secrets.renew(stale);
    }

    /**
     * The policy; null when problems were reported.
     *
     * @param stale as {@link SecretStore#renew}; null to read nothing twice
     */
    @Nullable UnclaimedPolicy of(
            FilePolicy file,
            PipelineUpdate.Unclaimed how,
            List<ConfigProblem> problems,
            @Nullable Consumer<String> stale) {
        WorkloadOrigin origin = origin(file, how);
        List<TransformEntry<?>> entries = round(file, stale).entries(origin, problems);
        if (!problems.isEmpty() && origin.fed() != null) {
            return null;
        }
        try (SecretScope scope = scope(stale)) {
            Generation built = generations.build(entries, file.settings(), scope, problems::add);
            Map<SecretRef, String> names = scope.names();
            if (built == null) {
                return null;
            }
            Generation serving = how instanceof PipelineUpdate.Unclaimed.Refused
                    ? RefusedCallers.unknown(generations, file.settings(), built)
                    : built;
            return new UnclaimedPolicy(
                    serving, Set.copyOf(names.values()), RedactionPreferences.of(entries, names), false);
        }
    }

    /**
     * As {@link #of}, when another file comes into force. What was delivered before and does not fit that file refuses
     * its callers and is warned of; it does not keep the file from coming into force.
     */
    @Nullable UnclaimedPolicy fitting(
            FilePolicy next, PipelineUpdate.Unclaimed how, List<ConfigProblem> problems, Consumer<String> stale) {
        if (!(how instanceof PipelineUpdate.Unclaimed.Judged)) {
            return of(next, how, problems, stale);
        }
        List<ConfigProblem> own = new ArrayList<>();
        UnclaimedPolicy merged = of(next, how, own, stale);
        if (merged != null) {
            return merged;
        }
        UnclaimedPolicy ofFile = of(next, new PipelineUpdate.Unclaimed.ByFile(), problems, stale);
        if (ofFile == null) {
            return null;
        }
        warn(NOBODYS, own);
        return refusing(next, ofFile);
    }

    /**
     * Refuses everything, because what was delivered cannot be built. The transforms of the file are kept meanwhile: they
     * will be needed again, and those of the application can be closed but once.
     */
    UnclaimedPolicy refusing(FilePolicy file) {
        List<ConfigProblem> problems = new ArrayList<>();
        UnclaimedPolicy ofFile = of(file, new PipelineUpdate.Unclaimed.ByFile(), problems, null);
        problems.forEach(problem -> LOG.warn("the policy of the file for {} is not kept: {}", NOBODYS, problem));
        return refusing(file, ofFile);
    }

    private UnclaimedPolicy refusing(FilePolicy file, @Nullable UnclaimedPolicy ofFile) {
        Generation kept = ofFile == null ? null : ofFile.generation();
        return new UnclaimedPolicy(
                RefusedCallers.withoutPolicy(generations, file.settings(), kept),
                ofFile == null ? Set.of() : ofFile.secrets(),
                ofFile == null ? List.of() : ofFile.redacting(),
                true);
    }

    @Override
    public String toString() {
        return "UnclaimedPolicies[]";
    }
}
