package dev.sallyport.control;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.core.config.ByteSize;
import dev.sallyport.core.config.Range;
import dev.sallyport.spi.NoSecret;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Block {@code agents} of {@code sandboxes}. */
public record AgentConfig(
        @JsonProperty(defaultValue = "claude-code") @JsonPropertyDescription("The harness of agents that ask for none.")
        String harness,

        @JsonPropertyDescription(
                "Harnesses besides `claude-code` and `test`, which are built in; one of these names takes the place of it.")
        List<HarnessConfig> harnesses,

        @JsonProperty(defaultValue = "1h")
        @Range(min = "1s", max = "720h")
        @JsonPropertyDescription("How long a harness may run; then it is ended.")
        Duration timeBudget,

        @JsonProperty(defaultValue = "4MiB")
        @Range(min = "64KiB", max = "1GiB")
        @JsonPropertyDescription("How much of what an agent says is kept, the newest of it.")
        ByteSize logSize,

        @JsonProperty(defaultValue = "false")
        @JsonPropertyDescription(
                "Whether what an agent has changed is committed and pushed to branch `sallyport/ID`, besides being kept as a patch.")
        boolean push,

        @JsonPropertyDescription(
                "Variables of guests; the first that is set is the password for Git over HTTP. `GIT_TOKEN`, `GITHUB_TOKEN`, `GH_TOKEN`, `GITLAB_TOKEN` when empty.")
        @NoSecret
        List<String> gitPasswordEnv) {

    public AgentConfig {
        harnesses = List.copyOf(harnesses);
        gitPasswordEnv = List.copyOf(gitPasswordEnv);
    }

    /** A program that an agent can be. */
    public record HarnessConfig(
            @JsonPropertyDescription("How users ask for it.")
            String name,

            @JsonPropertyDescription(
                    "The program and its arguments, which no shell reads; it runs in the folder of the repository, with the prompt on its standard input. `{prompt}`, `{prompt_file}`, `{arguments_file}` and `{repository}` are replaced, an element `{arguments}` by all arguments of the agent.")
            List<String> command,

            @JsonPropertyDescription("The image that its VMs begin as; that of `sandboxes` when unset.") @Nullable String image) {

        public HarnessConfig {
            command = List.copyOf(command);
        }
    }
}
