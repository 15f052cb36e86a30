package dev.sallyport.control.agent;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What the operator has set for agents.
 *
 * @param usual the name of the harness of those that ask for none
 * @param harnesses those that there are
 * @param timeBudget how long a harness may run
 * @param logBytes how much of what an agent says is kept, the newest of it, in bytes of UTF-8
 * @param push whether what an agent has made is pushed to a branch of its own
 * @param credentials the variables of which the first that a guest has is Git's password
 */
public record AgentSettings(
        String usual,
        List<Harness> harnesses,
        Duration timeBudget,
        long logBytes,
        boolean push,
        List<String> credentials) {

    public AgentSettings {
        harnesses = List.copyOf(harnesses);
        credentials = List.copyOf(credentials);
    }

    Optional<Harness> harness(String name) {
        return harnesses.stream().filter(known -> known.name().equals(name)).findFirst();
    }
}
