package dev.sallyport.transforms.hmacsign;

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

/** Configuration of {@code hmac_sign}. Its text form shows no values. */
public record HmacSignConfig(
        @JsonProperty(required = true) @JsonPropertyDescription("The format of `.Timestamp`.")
        Timestamp timestamp,

        @JsonProperty(required = true) @JsonPropertyDescription("What is signed, and how.")
        Signature signature,

        @JsonProperty(required = true)
        @JsonPropertyDescription(
                "Secret sources by name. `secret` is the key of the HMAC and is shown to no template; the others are `.Credentials.<name>`.")
        Map<String, SecretRef> credentials,

        @JsonProperty(required = true)
        @JsonPropertyDescription("The headers that are set, in this order; each replaces what the workload sent.")
        List<Header> headers,

        @JsonPropertyDescription("Sign bodies whose length is not declared.")
        boolean allowChunkedBody,

        @JsonPropertyDescription(
                "Allow it to be sent without TLS to origins whose address is not a loopback, private or link-local one; otherwise such requests are refused.")
        boolean allowPlaintext,

        @JsonPropertyDescription(
                "The responses from which credentials in headers are removed: those from origins that received them (`swapped`), those to requests that carried them (`exchange`), all from destinations inside the rules (`always`), or none (`off`). Signatures are removed from the responses to their own requests. Default: the value of `proxy.redact_responses`.")
        @Nullable RedactResponse redactResponse,

        @JsonProperty(required = true) @JsonPropertyDescription("Destinations; at least one.")
        List<Rule> rules) {

    /** The credential that is the key. */
    static final String SECRET = "secret";

    public HmacSignConfig {
        credentials = Map.copyOf(credentials);
        headers = List.copyOf(headers);
        rules = List.copyOf(rules);
    }

    /** The credentials that templates may use, sorted. */
    Map<String, SecretRef> shown() {
        Map<String, SecretRef> shown = new LinkedHashMap<>();
        credentials.keySet().stream()
                .filter(name -> !name.equals(SECRET))
                .sorted()
                .forEach(name -> shown.put(name, credentials.get(name)));
        return shown;
    }

    @Override
    public String toString() {
        return "HmacSignConfig[" + headers.size() + " headers]";
    }

    /** The moment of signing. */
    public record Timestamp(
            @JsonProperty(required = true) @JsonPropertyDescription("The format; `rfc3339` is UTC with seconds.")
            TimestampFormat format) {}

    /** The signature. */
    public record Signature(
            @JsonProperty(required = true) @JsonPropertyDescription("The hash of the HMAC.")
            Algorithm algorithm,

            @JsonProperty(required = true) @JsonPropertyDescription("The encoding of the key in `credentials.secret`.")
            KeyEncoding keyEncoding,

            @JsonProperty(required = true) @JsonPropertyDescription("The encoding of `.Signature`.")
            OutputEncoding outputEncoding,

            @JsonProperty(required = true)
            @JsonPropertyDescription(
                    "Go template of what is signed: `.Timestamp`, `.Method`, `.Path` (decoded), `.PathWithQuery` and `.Query` (as forwarded), `.Host` (without port), `.Body`, `.Credentials.<name>`.")
            String message) {}

    /** A header that is set. */
    public record Header(
            @JsonProperty(required = true) @JsonPropertyDescription("Its name, in this casing on HTTP/1.x.")
            String name,

            @JsonProperty(required = true)
            @JsonPropertyDescription("Go template of its value: `.Timestamp`, `.Signature`, `.Credentials.<name>`.")
            @NoSecret
            String value) {}
}
