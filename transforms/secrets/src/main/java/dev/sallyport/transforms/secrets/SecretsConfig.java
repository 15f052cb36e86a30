package dev.sallyport.transforms.secrets;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.NoSecret;
import dev.sallyport.spi.RedactResponse;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.SecretRef;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Configuration of {@code secrets}. Its text forms show no values. */
public record SecretsConfig(
        @JsonPropertyDescription("The credentials, in the order in which they apply.")
        List<Entry> secrets) {

    public SecretsConfig {
        secrets = List.copyOf(secrets);
    }

    @Override
    public String toString() {
        return "SecretsConfig[" + secrets.size() + " secrets]";
    }

    /** One credential: where it is read, and how and into which requests it is put. */
    public record Entry(
            @JsonProperty(required = true) @JsonPropertyDescription("Where to read the value.")
            SecretRef source,

            @JsonPropertyDescription("Puts the value onto every matching request. Cannot be combined with `replace`.")
            @Nullable Inject inject,

            @JsonPropertyDescription("Swaps a placeholder for the value. Cannot be combined with `inject`.") @Nullable Replace replace,

            @JsonPropertyDescription("Destinations; empty means all.")
            List<Rule> rules,

            @JsonPropertyDescription(
                    "What happens to a request that carries the placeholder to another destination: `annotate` (the default) lets it pass and says so in its audit record, `reject` refuses it with 403. Only with `replace`.")
            @Nullable OnMisdirect onMisdirect,

            @JsonPropertyDescription(
                    "Allow it to be sent without TLS to origins whose address is not a loopback, private or link-local one; otherwise such requests are refused.")
            boolean allowPlaintext,

            @JsonPropertyDescription(
                    "The responses in which the value is replaced with the placeholder: those from origins that received it (`swapped`), those to requests that carried it (`exchange`), all from destinations inside the rules (`always`), or none (`off`). Default: the value of `proxy.redact_responses`.")
            @Nullable RedactResponse redactResponse,

            @JsonPropertyDescription("Older spelling of `replace.proxy_value`.") @NoSecret @Nullable String proxyValue,

            @JsonPropertyDescription("Older spelling of `replace.match_headers`.") @NoSecret
            List<String> matchHeaders,

            @JsonPropertyDescription("Older spelling of `replace.match_body`.") @Nullable Boolean matchBody,

            @JsonPropertyDescription("Older spelling of `replace.match_path`.") @Nullable Boolean matchPath,

            @JsonPropertyDescription("Older spelling of `replace.match_query`.") @Nullable Boolean matchQuery,

            @JsonPropertyDescription("Older spelling of `replace.require`.") @Nullable Boolean require) {

        public Entry {
            rules = List.copyOf(rules);
            matchHeaders = List.copyOf(matchHeaders);
        }

        /** Whether a request that carries the placeholder outside the rules is refused. */
        boolean rejectsMisdirected() {
            return onMisdirect == OnMisdirect.REJECT;
        }

        /** Whether any of the six older fields is set. */
        boolean flat() {
            return proxyValue != null
                    || !matchHeaders.isEmpty()
                    || matchBody != null
                    || matchPath != null
                    || matchQuery != null
                    || require != null;
        }

        /** The block, or its equivalent made from the older fields; null for an entry that injects. */
        @Nullable Replace replacement() {
            if (replace != null || proxyValue == null) {
                return replace;
            }
            return new Replace(
                    proxyValue,
                    matchHeaders,
                    Objects.requireNonNullElse(matchBody, false),
                    Objects.requireNonNullElse(matchPath, false),
                    Objects.requireNonNullElse(matchQuery, false),
                    Objects.requireNonNullElse(require, false),
                    true);
        }

        @Override
        public String toString() {
            return "Entry[" + source + "]";
        }
    }

    /** Puts the value onto every matching request. */
    public record Inject(
            @JsonPropertyDescription(
                    "Header that is set, in this casing; whatever the workload sent under the name is replaced. Exclusive with `query_param`.")
            @NoSecret
            @Nullable String header,

            @JsonPropertyDescription(
                    "Query parameter that is appended, or replaced where the workload sent it. Cannot be combined with `header`.")
            @Nullable String queryParam,

            @JsonPropertyDescription(
                    "Go template of the header's value, such as `Bearer {{.Value}}`. Not with `query_param`.")
            @Nullable String formatter,

            @JsonProperty(defaultValue = "true")
            @JsonPropertyDescription(
                    "Whether a request is refused when the value is missing; `true`, the only value, which files of iron-proxy may have.")
            boolean require) {

        @Override
        public String toString() {
            return "Inject[]";
        }
    }

    /** Swaps a placeholder for the value. */
    public record Replace(
            @JsonProperty(required = true)
            @JsonPropertyDescription("The placeholder that the workload sends; found as part of longer texts too.")
            @NoSecret
            String proxyValue,

            @JsonPropertyDescription("Headers to scan: names, or `/regex/` over canonical names; empty scans all.")
            @NoSecret
            List<String> matchHeaders,

            @JsonPropertyDescription("Scan the body.") boolean matchBody,

            @JsonPropertyDescription("Scan the path.") boolean matchPath,

            @JsonPropertyDescription("Scan the values of the query.")
            boolean matchQuery,

            @JsonPropertyDescription(
                    "Refuse matching requests that have the placeholder in none of the scanned places.")
            boolean require,

            @JsonProperty(defaultValue = "true") @JsonPropertyDescription("Scan headers.")
            boolean scanHeaders) {

        public Replace {
            matchHeaders = List.copyOf(matchHeaders);
        }

        @Override
        public String toString() {
            return "Replace[]";
        }
    }
}
