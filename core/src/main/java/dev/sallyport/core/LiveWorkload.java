package dev.sallyport.core;

import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.core.pipeline.PipelineSettings;
import dev.sallyport.core.redact.RedactionPreference;
import dev.sallyport.core.workload.Workload;
import java.util.List;
import java.util.Set;

/**
 * A workload that is in force, or about to be.
 *
 * @param from what it was made of
 * @param settings with which limits
 * @param workload the workload with its generation, which refuses everything where there are problems
 * @param secrets the names of the secrets that it uses
 * @param redacting what its entries say about redaction
 * @param problems why it is refused everything, or is not told from others
 */
record LiveWorkload(
        WorkloadOrigin from,
        PipelineSettings settings,
        Workload<Generation> workload,
        Set<String> secrets,
        List<RedactionPreference> redacting,
        List<ConfigProblem> problems) {

    String name() {
        return workload.name();
    }

    Generation generation() {
        return workload.policy();
    }
}
