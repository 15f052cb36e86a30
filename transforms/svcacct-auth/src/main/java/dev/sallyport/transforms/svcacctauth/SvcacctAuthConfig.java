package dev.sallyport.transforms.svcacctauth;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.RedactResponse;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.SecretRef;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Configuration of {@code svcacct_auth}. Its text form shows no values. */
public record SvcacctAuthConfig(
        @JsonPropertyDescription(
                "Path of a service account's key file (JSON), relative to the configuration file. It is read again for each token.")
        @Nullable Path keyfilePath,

        @JsonPropertyDescription("Secret source of the key (JSON).") @Nullable SecretRef keyfile,

        @JsonPropertyDescription("The cloud's default credentials, instead of a key.") @Nullable CredentialsProvider credentialsProvider,

        @JsonPropertyDescription(
                "User for whom the service account acts (domain-wide delegation). Not with `credentials_provider`.")
        @Nullable String subject,

        @JsonProperty(required = true) @JsonPropertyDescription("Scopes of the token; at least one.")
        List<String> scopes,

        @JsonPropertyDescription("Destinations; empty means all.")
        List<Rule> rules,

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

    public SvcacctAuthConfig {
        scopes = List.copyOf(scopes);
        rules = List.copyOf(rules);
    }

    /** The configuration without the fields that only say where the token goes: equal ones share a token. */
    SvcacctAuthConfig minting() {
        return new SvcacctAuthConfig(
                keyfilePath, keyfile, credentialsProvider, subject, scopes, List.of(), false, true, RedactResponse.OFF);
    }

    @Override
    public String toString() {
        return "SvcacctAuthConfig[" + scopes.size() + " scopes]";
    }

    /** The source of credentials when no key is configured. */
    public record CredentialsProvider(
            @JsonProperty(required = true)
            @JsonPropertyDescription(
                    "`workload_identity`: what `GOOGLE_APPLICATION_CREDENTIALS` names, gcloud's own file, or the metadata server.")
            Type type) {

        /** The kinds of providers. */
        public enum Type {
            /** The default chain of the cloud's libraries. */
            WORKLOAD_IDENTITY
        }
    }
}
