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
        @JsonPropertyDescription("Secret source of the access key id. Required unless `credentials_provider` is there.")
        @Nullable SecretRef accessKeyId,

        @JsonPropertyDescription(
                "Secret source of the secret access key. Required unless `credentials_provider` is there.")
        @Nullable SecretRef secretAccessKey,

        @JsonPropertyDescription("Secret source of the session token, for temporary credentials.") @Nullable SecretRef sessionToken,

        @JsonPropertyDescription(
                "Takes the credentials from the default chain of the AWS SDK. Exclusive with the secret sources.")
        @Nullable CredentialsProvider credentialsProvider,

        @JsonPropertyDescription("Regions that may be signed for; empty means any.")
        List<String> allowedRegions,

        @JsonPropertyDescription("Services that may be signed for, as in credential scopes (`s3`); empty means any.")
        List<String> allowedServices,

        @JsonPropertyDescription("Send the marker `UNSIGNED-PAYLOAD` instead of a hash of the content.")
        boolean unsignedPayload,

        @JsonPropertyDescription("Sign contents whose length is not declared.")
        boolean allowChunkedBody,

        @JsonPropertyDescription(
                "Let it go to origins without TLS whose address is not a loopback, private or link-local one; such requests are refused otherwise.")
        boolean allowPlaintext,

        @JsonPropertyDescription(
                "In which responses real credentials are taken out: those from origins that they were sent to (`swapped`), those to requests that got them (`exchange`), all at destinations inside the rules (`always`), or none (`off`). Signatures are taken out of the responses to their own requests. Unset: what `proxy.redact_responses` says.")
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

    /** Where credentials come from that are no secrets of the configuration. */
    public record CredentialsProvider(
            @JsonProperty(required = true)
            @JsonPropertyDescription("`workload_identity`: the default chain of the AWS SDK.")
            Type type,

            @JsonPropertyDescription(
                    "Region of the token service (STS) that exchanges a web identity token; without it the one that the SDK finds.")
            @Nullable String region) {

        /** Kinds of providers. */
        public enum Type {
            /** The default credential chain of the AWS SDK. */
            WORKLOAD_IDENTITY
        }
    }
}
