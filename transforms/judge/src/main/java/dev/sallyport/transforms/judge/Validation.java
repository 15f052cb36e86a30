package dev.sallyport.transforms.judge;

import dev.sallyport.spi.HttpCall;
import dev.sallyport.spi.Problems;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;

/** Checks what the types of the configuration cannot express. */
final class Validation {

    private final Problems problems;

    Validation(Problems problems) {
        this.problems = problems;
    }

    void check(JudgeConfig config) {
        given("/name", config.name(), "a name for the audit log");
        given("/prompt", config.prompt(), "a policy in plain language");
        if (config.rules().isEmpty()) {
            problems.add("/rules", "no rule", "at least one rule");
        }
        given("/provider/model", config.provider().model(), "the id of a model");
        given("/provider/api_key_env", config.provider().apiKeyEnv(), "the name of an environment variable");
        positive("/provider/max_tokens", config.provider().maxTokens());
        baseUrl(config.provider().baseUrl());
        positive("/timeout", config.timeout());
        positive("/max_concurrent", config.maxConcurrent());
        positive(
                "/circuit_breaker/consecutive_failures", config.circuitBreaker().consecutiveFailures());
        positive("/circuit_breaker/cooldown", config.circuitBreaker().cooldown());
    }

    private void given(String pointer, String text, String expected) {
        if (text.isBlank()) {
            problems.add(pointer, "empty", expected);
        }
    }

    private void positive(String pointer, int number) {
        if (number < 1) {
            problems.add(pointer, "less than 1", "at least 1");
        }
    }

    private void positive(String pointer, Duration duration) {
        if (!duration.isPositive()) {
            problems.add(pointer, "zero or negative", "more than 0s");
        }
    }

    private void baseUrl(String text) {
        if (!text.isEmpty() && !isBase(text)) {
            problems.add(
                    "/provider/base_url",
                    "no base address",
                    "an http or https URL without user, query or fragment, such as https://gateway.example.com");
        }
    }

    private static boolean isBase(String text) {
        try {
            URI uri = new URI(text);
            return HttpCall.hostOf(uri) != null
                    && uri.getScheme().matches("(?i)https?")
                    && uri.getRawUserInfo() == null
                    && uri.getRawQuery() == null
                    && uri.getRawFragment() == null;
        } catch (URISyntaxException e) {
            return false;
        }
    }
}
