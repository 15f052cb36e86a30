package dev.sallyport.transforms.svcacctauth;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.RedactResponse;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.SecretRef;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Configuration of {@code gcp_id_token}. Its text form shows no values. */
public record GcpIdTokenConfig(
        @JsonPropertyDescription(
                "Path of a service account's key file (JSON), relative to the configuration. It is read again for each token.")
        @Nullable Path keyfilePath,

        @JsonPropertyDescription("Secret source of the key (JSON).") @Nullable SecretRef keyfile,

        @JsonProperty(required = true)
        @JsonPropertyDescription("Whom the token is for: the URL of a service of Cloud Run, or the client id of IAP.")
        String audience,

        @JsonProperty(defaultValue = "Authorization")
        @JsonPropertyDescription(
                "Header that carries the token after `Bearer`. Cloud Run takes either, and leaves `Authorization` to the service where the other is there.")
        Header header,

        @JsonProperty(required = true) @JsonPropertyDescription("Destinations; at least one.")
        List<Rule> rules,

        @JsonPropertyDescription(
                "Let it go to origins without TLS whose address is not a loopback, private or link-local one; such requests are refused otherwise.")
        boolean allowPlaintext,

        @JsonProperty(defaultValue = "true")
        @JsonPropertyDescription(
                "Whether a GET or HEAD that the API answers with 401 is sent once more with a token minted anew. The refused token is dropped in any case, at most once in 10 s.")
        boolean retryUnauthorized,

        @JsonPropertyDescription(
                "In which responses the token is turned into the placeholder: those from origins that it was sent to (`swapped`), those to requests that got it (`exchange`), all at destinations inside the rules (`always`), or none (`off`). Unset: what `proxy.redact_responses` says.")
        @Nullable RedactResponse redactResponse) {

    public GcpIdTokenConfig {
        rules = List.copyOf(rules);
    }

    /** Headers that may carry an ID token. */
    public enum Header {
        /** The usual one. */
        @JsonProperty("Authorization")
        @JsonAlias("authorization")
        AUTHORIZATION("Authorization"),
        /** The one that only the platform reads. */
        @JsonProperty("X-Serverless-Authorization")
        @JsonAlias("x-serverless-authorization")
        X_SERVERLESS_AUTHORIZATION("X-Serverless-Authorization");

        private final String text;

        Header(String text) {
            this.text = text;
        }

        /** Its name, as it is sent. */
        String text() {
            return text;
        }
    }

    /** The same without what only says where the token goes: equal ones share a token. */
    GcpIdTokenConfig minting() {
        return new GcpIdTokenConfig(
                keyfilePath, keyfile, audience, Header.AUTHORIZATION, List.of(), false, true, RedactResponse.OFF);
    }

    @Override
    public String toString() {
        return "GcpIdTokenConfig[]";
    }
}
