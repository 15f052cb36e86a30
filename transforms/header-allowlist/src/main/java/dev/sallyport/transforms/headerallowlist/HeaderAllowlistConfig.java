package dev.sallyport.transforms.headerallowlist;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.NoSecret;
import dev.sallyport.spi.Rule;
import java.util.List;

/** Configuration of {@code header_allowlist}. An empty list strips every header that may be stripped. */
public record HeaderAllowlistConfig(
        @JsonPropertyDescription(
                "Headers that may pass: names in any casing, or `/regex/` patterns (RE2), found anywhere in the canonical name without regard to case.")
        @NoSecret
        List<String> headers,

        @JsonPropertyDescription("Destinations; empty means all requests.")
        List<Rule> rules) {

    public HeaderAllowlistConfig {
        headers = List.copyOf(headers);
        rules = List.copyOf(rules);
    }
}
