package dev.sallyport.transforms.judge;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.Rule;
import java.time.Duration;
import java.util.List;

/** Configuration of {@code judge}. */
public record JudgeConfig(
        @JsonProperty(required = true)
        @JsonPropertyDescription("Its name in audit records; no two judges have the same.")
        String name,

        @JsonProperty(required = true)
        @JsonPropertyDescription("The policy, in plain language. It reaches the model apart from the request.")
        String prompt,

        @JsonProperty(required = true)
        @JsonPropertyDescription("What is judged; at least one. Everything else passes unasked.")
        List<Rule> rules,

        @JsonProperty(required = true) @JsonPropertyDescription("The model that is asked.")
        Provider provider,

        @JsonProperty(defaultValue = "deny")
        @JsonPropertyDescription(
                "What happens when there is no verdict (call failed, timeout, malformed output, open breaker, full queue): `deny` refuses with 403, `skip` goes on to the next transform.")
        Fallback fallback,

        @JsonProperty(defaultValue = "8s")
        @JsonPropertyDescription("Limit of one call, from dialling to the last byte; more than 0.")
        Duration timeout,

        @JsonProperty(defaultValue = "8s")
        @JsonPropertyDescription(
                "How long a request waits for its call to begin when `max_concurrent` calls are in flight.")
        Duration queueTimeout,

        @JsonProperty(defaultValue = "100")
        @JsonPropertyDescription("How many calls may be in flight; further requests wait, first come first served.")
        int maxConcurrent,

        @JsonPropertyDescription("Gives up on a model that fails again and again.")
        CircuitBreaker circuitBreaker) {

    public JudgeConfig {
        rules = List.copyOf(rules);
    }

    /** What happens without a verdict. */
    public enum Fallback {
        DENY,
        SKIP
    }

    /** Whose wire format is spoken. */
    public enum ProviderType {
        LLM_A,
        LLM_B
    }

    /** A model. */
    public record Provider(
            @JsonProperty(required = true)
            @JsonPropertyDescription("`llm_a` for an API of messages, `llm_b` for one of chat completions.")
            ProviderType type,

            @JsonProperty(required = true) @JsonPropertyDescription("The model's id.")
            String model,

            @JsonProperty(required = true)
            @JsonPropertyDescription("Environment variable of the proxy that holds the provider's key.")
            String apiKeyEnv,

            @JsonPropertyDescription(
                    "Base address instead of the provider's public one, with or without `/v1` at its end: for gateways and tests.")
            String baseUrl,

            @JsonProperty(defaultValue = "256")
            @JsonPropertyDescription("The most tokens of an answer; for `llm_b` sent as `max_completion_tokens`.")
            int maxTokens) {}

    /** When a model is given up, and for how long. */
    public record CircuitBreaker(
            @JsonProperty(defaultValue = "5")
            @JsonPropertyDescription("Failures in a row after which no more calls are made.")
            int consecutiveFailures,

            @JsonProperty(defaultValue = "10s")
            @JsonPropertyDescription("How long none is made; then one call decides whether to go on.")
            Duration cooldown) {}
}
