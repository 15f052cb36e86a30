package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.RuleSet;
import dev.sallyport.spi.Secret;
import dev.sallyport.toolkit.headers.HeaderPatterns;
import org.jspecify.annotations.Nullable;

/**
 * An entry that swaps its placeholder for its secret.
 *
 * @param token index of the placeholder; entries may share one
 * @param headers the headers to scan when {@code config} does not scan all
 * @param rejectsMisdirected whether requests that carry the placeholder outside the rules are refused
 * @param overPlaintext whether the secret may be sent anywhere without TLS
 */
record Replacement(
        int index,
        int token,
        Secret secret,
        @Nullable RuleSet rules,
        SecretsConfig.Replace config,
        HeaderPatterns headers,
        boolean rejectsMisdirected,
        boolean overPlaintext,
        EntryCredential credential)
        implements ScopedEntry {

    /** Whether this place is searched for the placeholder. */
    boolean scans(RequestPart part, String headerName) {
        return switch (part) {
            case HEADER -> scansHeader(headerName);
            case QUERY -> config.matchQuery();
            case PATH -> config.matchPath();
            case BODY -> config.matchBody();
        };
    }

    boolean scansHeader(String name) {
        return config.scanHeaders() && (headers.isEmpty() || headers.matches(name));
    }

    @Override
    public String toString() {
        return "Replacement[" + index + "]";
    }
}
