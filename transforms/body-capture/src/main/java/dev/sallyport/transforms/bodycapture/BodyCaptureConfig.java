package dev.sallyport.transforms.bodycapture;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.Rule;
import java.util.List;

/** Configuration of {@code body_capture}. */
public record BodyCaptureConfig(
        @JsonProperty(defaultValue = "16384")
        @JsonPropertyDescription(
                "How much of a body is recorded, in bytes without content coding; independent of `proxy.max_request_body_bytes`.")
        int maxRequestBodyBytes,

        @JsonPropertyDescription("Destinations; empty means all requests.")
        List<Rule> rules,

        @JsonPropertyDescription(
                "Record bodies as they are after earlier transforms have put credentials in, rather than before.")
        boolean allowDisclosure) {

    public BodyCaptureConfig {
        rules = List.copyOf(rules);
    }
}
