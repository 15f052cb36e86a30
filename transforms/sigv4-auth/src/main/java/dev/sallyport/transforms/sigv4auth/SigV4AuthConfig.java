package dev.sallyport.transforms.sigv4auth;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.RedactResponse;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.SecretRef;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Configuration of {@code sigv4_auth}. Its text form shows no values. */
public record SigV4AuthConfig(
        @JsonPropertyDescription("Secret source of the access key id. Required unless `credentials_provider` is set.")
        @Nullable SecretRef accessKeyId,

        @JsonPropertyDescription(
                "Secret source of the secret access key. Required unless `credentials_provider` is set.")
        @Nullable SecretRef secretAccessKey,

        @JsonPropertyDescription("Secret source of the session token, for temporary credentials.") @Nullable SecretRef sessionToken,

        @JsonPropertyDescription(
                "Takes the credentials from the default chain of the AWS SDK. Cannot be combined with the secret sources.")
        @Nullable CredentialsProvider credentialsProvider,

        @JsonPropertyDescription("Regions for which requests may be signed; empty means any.")
        List<String> allowedRegions,

        @JsonPropertyDescription(
                "Services for which requests may be signed, as in credential scopes (`s3`); empty means any.")
        List<String> allowedServices,

        @JsonPropertyDescription("Send the marker `UNSIGNED-PAYLOAD` instead of a hash of the content.")
        boolean unsignedPayload,

        @JsonPropertyDescription("Sign contents whose length is not declared.")
        boolean allowChunkedBody,

        @JsonPropertyDescription(
                "Allow it to be sent without TLS to origins whose address is not a loopback, private or link-local one; otherwise such requests are refused.")
        boolean allowPlaintext,

        @JsonPropertyDescription(
                "The responses from which real credentials are removed: those from origins that received them (`swapped`), those to requests that carried them (`exchange`), all from destinations inside the rules (`always`), or none (`off`). Signatures are removed from the responses to their own requests. Default: the value of `proxy.redact_responses`.")
        @Nullable RedactResponse redactResponse,

        @JsonProperty(required = true) @JsonPropertyDescription("Destinations; at least one.")
        List<Rule> rules) {

    public SigV4AuthConfig {
        allowedRegions = List.copyOf(allowedRegions);
        allowedServices = List.copyOf(allowedServices);
        rules = List.copyOf(rules);
    }

    @Override
    public String toString() {
        return "SigV4AuthConfig[" + allowedRegions + ", " + allowedServices + "]";
    }

    /** The source of credentials that are not secrets of the configuration. */
    public record CredentialsProvider(
            @JsonProperty(required = true)
            @JsonPropertyDescription("`workload_identity`: the default chain of the AWS SDK.")
            Type type,

            @JsonPropertyDescription(
                    "Region of the token service (STS) that exchanges a web identity token; by default the one that the SDK finds.")
            @Nullable String region) {

        /** Kinds of providers. */
        public enum Type {
            /** The default credential chain of the AWS SDK. */
            WORKLOAD_IDENTITY
        }
    }
}
