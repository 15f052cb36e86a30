package dev.sallyport.transforms.svcacctauth;

import dev.sallyport.spi.Problems;
import java.util.stream.Stream;

/** Checks what the types of the configuration cannot express. */
final class Validation {

    private final Problems problems;

    Validation(Problems problems) {
        this.problems = problems;
    }

    void check(SvcacctAuthConfig config) {
        long given = Stream.of(
                        config.keyfilePath() != null, config.keyfile() != null, config.credentialsProvider() != null)
                .filter(present -> present)
                .count();
        if (given != 1) {
            problems.add(
                    "",
                    given == 0 ? "no credentials" : "more than one kind of credentials",
                    "exactly one of keyfile_path, keyfile, credentials_provider");
        }
        if (config.subject() != null && config.credentialsProvider() != null) {
            problems.add("/subject", "it cannot be combined with credentials_provider", "a key of the service account");
        } else if (config.subject() != null && config.subject().isBlank()) {
            problems.add("/subject", "empty", "a user's e-mail address");
        }
        if (config.scopes().isEmpty()) {
            problems.add("/scopes", "no scope", "at least one scope");
        }
        for (int i = 0; i < config.scopes().size(); i++) {
            String scope = config.scopes().get(i);
            if (scope.isEmpty() || scope.chars().anyMatch(c -> c <= ' ' || c > '~' || c == '"' || c == '\\')) {
                problems.add("/scopes/" + i, "not a scope", "printable ASCII without spaces, quotes and backslashes");
            }
        }
    }
}
