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
                "Path of a service account's key file (JSON), relative to the configuration. It is read again for each token.")
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
                "Let it go to origins without TLS whose address is not a loopback, private or link-local one; such requests are refused otherwise.")
        boolean allowPlaintext,

        @JsonPropertyDescription(
                "In which responses the token is turned into the placeholder: those from origins that it was sent to (`swapped`), those to requests that got it (`exchange`), all at destinations inside the rules (`always`), or none (`off`). Unset: what `proxy.redact_responses` says.")
        @Nullable RedactResponse redactResponse) {

    public SvcacctAuthConfig {
        scopes = List.copyOf(scopes);
        rules = List.copyOf(rules);
    }

    /** The same without what only says where the token goes: equal ones share a token. */
    SvcacctAuthConfig minting() {
        return new SvcacctAuthConfig(
                keyfilePath, keyfile, credentialsProvider, subject, scopes, List.of(), false, RedactResponse.OFF);
    }

    @Override
    public String toString() {
        return "SvcacctAuthConfig[" + scopes.size() + " scopes]";
    }

    /** Where credentials come from when there is no key. */
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
