package dev.sallyport.core;

import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.core.redact.RedactionPreference;
import java.util.List;
import java.util.Set;

/**
 * The policy of callers of no workload.
 *
 * @param secrets the names of its secrets
 * @param redacting the preferences of its entries
 * @param broken whether it refuses everything because what was delivered cannot be built
 */
record UnclaimedPolicy(
        Generation generation, Set<String> secrets, List<RedactionPreference> redacting, boolean broken) {}
