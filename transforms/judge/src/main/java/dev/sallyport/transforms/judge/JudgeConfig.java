package dev.sallyport.transforms.judge;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.NoSecret;
import dev.sallyport.spi.Rule;
import java.time.Duration;
import java.util.List;

/** Configuration of {@code judge}. */
public record JudgeConfig(
        @JsonProperty(required = true)
        @JsonPropertyDescription("The judge's name in audit records; unique among judges.")
        String name,

        @JsonProperty(required = true)
        @JsonPropertyDescription("The policy, in plain language. It is sent to the model separately from the request.")
        String prompt,

        @JsonProperty(required = true)
        @JsonPropertyDescription("The requests that are judged; at least one rule. All others pass without a question.")
        List<Rule> rules,

        @JsonProperty(required = true) @JsonPropertyDescription("The model that is asked.")
        Provider provider,

        @JsonProperty(defaultValue = "deny")
        @JsonPropertyDescription(
                "What to do without a verdict (call failed, timeout, malformed output, open breaker, full queue): `deny` refuses with 403, `skip` goes on to the next transform.")
        Fallback fallback,

        @JsonProperty(defaultValue = "8s")
        @JsonPropertyDescription("Time limit of one call, from dialling to the last byte; more than 0.")
        Duration timeout,

        @JsonProperty(defaultValue = "8s")
        @JsonPropertyDescription(
                "How long a request waits for its call to start when `max_concurrent` calls are in flight.")
        Duration queueTimeout,

        @JsonProperty(defaultValue = "100")
        @JsonPropertyDescription("The most calls in flight; further requests wait in the order of arrival.")
        int maxConcurrent,

        @JsonPropertyDescription("Stops calling a model that fails repeatedly.")
        CircuitBreaker circuitBreaker) {

    public JudgeConfig {
        rules = List.copyOf(rules);
    }

    /** What to do without a verdict. */
    public enum Fallback {
        DENY,
        SKIP
    }

    /** The provider's wire format. */
    public enum ProviderType {
        @JsonAlias("anthropic")
        LLM_A,
        @JsonAlias("openai")
        LLM_B
    }

    /** A model. */
    public record Provider(
            @JsonProperty(required = true)
            @JsonPropertyDescription(
                    "`llm_a` or `anthropic` for the API of messages, `llm_b` or `openai` for the one of chat completions.")
            ProviderType type,

            @JsonProperty(required = true) @JsonPropertyDescription("The model's id.")
            String model,

            @JsonProperty(required = true)
            @JsonPropertyDescription("Environment variable of the proxy that holds the provider's key.")
            @NoSecret
            String apiKeyEnv,

            @JsonPropertyDescription(
                    "Base address instead of the provider's public one: for gateways and tests. One without a path gets `/v1`; another path is used as it stands, such as `/v1beta/openai` or `/paas/v4`.")
            String baseUrl,

            @JsonProperty(defaultValue = "256")
            @JsonPropertyDescription(
                    "The most tokens of an answer; for `llm_b` and `openai` sent as `max_completion_tokens`.")
            int maxTokens) {}

    /** When to stop calling a model, and for how long. */
    public record CircuitBreaker(
            @JsonProperty(defaultValue = "5") @JsonPropertyDescription("Consecutive failures after which calls stop.")
            int consecutiveFailures,

            @JsonProperty(defaultValue = "10s")
            @JsonPropertyDescription("How long calls stop; then one call decides whether to continue.")
            Duration cooldown) {}
}
