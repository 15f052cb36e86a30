package dev.sallyport.transforms.oauthtoken;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.NoSecret;
import dev.sallyport.spi.RedactResponse;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.SecretRef;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Configuration of {@code oauth_token}. Its text forms show no values. */
public record OauthTokenConfig(
        @JsonProperty(required = true)
        @JsonPropertyDescription("The tokens; a request gets the first one whose rules match.")
        List<Entry> tokens) {

    public OauthTokenConfig {
        tokens = List.copyOf(tokens);
    }

    @Override
    public String toString() {
        return "OauthTokenConfig[" + tokens.size() + " tokens]";
    }

    /** One token: how it is minted, and how and into which requests it is put. */
    public record Entry(
            @JsonProperty(required = true) @JsonPropertyDescription("The grant that is exchanged for the token.")
            Grant grant,

            @JsonProperty(required = true)
            @JsonPropertyDescription(
                    "URL to which the proxy posts. Requests of workloads to its host, port and path get a placeholder token.")
            @NoSecret
            String tokenEndpoint,

            @JsonPropertyDescription("Scopes to request.") List<String> scopes,

            @JsonProperty(required = true) @JsonPropertyDescription("Destinations; at least one.")
            List<Rule> rules,

            @JsonProperty(defaultValue = "Authorization")
            @JsonPropertyDescription(
                    "Header that is set, in this casing on HTTP/1.x; whatever the workload sent under the name is replaced.")
            @NoSecret
            String header,

            @JsonProperty(defaultValue = "Bearer")
            @JsonPropertyDescription(
                    "What stands before the token; joined by one space unless it is empty or ends with one.")
            @NoSecret
            String valuePrefix,

            @JsonPropertyDescription("Headers of the request for the token, in this casing.")
            Map<String, SecretRef> tokenEndpointHeaders,

            @JsonProperty(defaultValue = "body")
            @JsonPropertyDescription(
                    "Where `client_id` and `client_secret` go: parameters of the request (`body`), or `Authorization` (`basic`).")
            ClientAuth clientAuth,

            @JsonPropertyDescription(
                    "Audience of the token: required with `jwt_bearer`, whose assertion names it; otherwise a request parameter.")
            @Nullable String audience,

            @JsonPropertyDescription("Client id.") @Nullable SecretRef clientId,

            @JsonPropertyDescription("Client secret.") @Nullable SecretRef clientSecret,

            @JsonPropertyDescription(
                    "The refresh token; when the issuer replaces it, the new one is used from then on.")
            @Nullable SecretRef refreshToken,

            @JsonPropertyDescription("Name of the user.") @Nullable SecretRef username,

            @JsonPropertyDescription("Password of the user.") @Nullable SecretRef password,

            @JsonPropertyDescription("`iss` of the assertion.") @Nullable SecretRef issuer,

            @JsonPropertyDescription("`sub` of the assertion.") @Nullable SecretRef subject,

            @JsonPropertyDescription("The RSA key that signs the assertion, PEM, PKCS#8 or PKCS#1.") @Nullable SecretRef privateKey,

            @JsonPropertyDescription("`kid` of the assertion.") @Nullable SecretRef privateKeyId,

            @JsonProperty(defaultValue = "true")
            @JsonPropertyDescription(
                    "Whether a request is refused when its token cannot be minted; `true`, the only value, which files of iron-proxy may have.")
            boolean require,

            @JsonPropertyDescription(
                    "Allow it to be sent without TLS to origins whose address is not a loopback, private or link-local one; otherwise such requests are refused.")
            boolean allowPlaintext,

            @JsonProperty(defaultValue = "true")
            @JsonPropertyDescription(
                    "Whether a GET or HEAD that the API answers with 401 is sent once more with a token minted anew. The refused token is dropped in any case, at most once in 10 s.")
            boolean retryUnauthorized,

            @JsonPropertyDescription(
                    "The responses in which the token is replaced with the placeholder: those from origins that received it (`swapped`), those to requests that carried it (`exchange`), all from destinations inside the rules (`always`), or none (`off`). Default: the value of `proxy.redact_responses`.")
            @Nullable RedactResponse redactResponse) {

        public Entry {
            scopes = List.copyOf(scopes);
            rules = List.copyOf(rules);
            tokenEndpointHeaders = Map.copyOf(tokenEndpointHeaders);
        }

        /** The credentials that are configured, by their names in the configuration. */
        Map<String, SecretRef> credentials() {
            Map<String, SecretRef> all = new LinkedHashMap<>();
            add(all, "client_id", clientId);
            add(all, "client_secret", clientSecret);
            add(all, "refresh_token", refreshToken);
            add(all, "username", username);
            add(all, "password", password);
            add(all, "issuer", issuer);
            add(all, "subject", subject);
            add(all, "private_key", privateKey);
            add(all, "private_key_id", privateKeyId);
            return all;
        }

        private static void add(Map<String, SecretRef> all, String name, @Nullable SecretRef reference) {
            if (reference != null) {
                all.put(name, reference);
            }
        }

        /** The entry without the fields that only say where its token goes: equal ones share a token. */
        Entry minting() {
            return new Entry(
                    grant,
                    tokenEndpoint,
                    scopes,
                    List.of(),
                    "",
                    "",
                    tokenEndpointHeaders,
                    clientAuth,
                    audience,
                    clientId,
                    clientSecret,
                    refreshToken,
                    username,
                    password,
                    issuer,
                    subject,
                    privateKey,
                    privateKeyId,
                    true,
                    false,
                    true,
                    RedactResponse.OFF);
        }

        @Override
        public String toString() {
            return "Entry[" + grant + "]";
        }
    }
}
