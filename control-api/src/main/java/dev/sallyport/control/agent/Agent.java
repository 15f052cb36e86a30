package dev.sallyport.control.agent;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An agent as its owner sees it.
 *
 * @param branch null until the repository is cloned, where none was asked for
 */
public record Agent(
        String id,
        String name,
        String repo,
        @Nullable String branch,
        String harness,
        String prompt,
        @Nullable String agentArgs,
        AgentStatus status,
        String vmId,
        Instant createdAt,
        Instant updatedAt) {}
