package dev.sallyport.transforms.headerallowlist;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.Rule;
import java.util.List;

/** Configuration of {@code header_allowlist}. With no headers in it, everything is stripped that may be. */
public record HeaderAllowlistConfig(
        @JsonPropertyDescription(
                "Headers that may pass: names in any casing, or `/regex/` patterns (RE2), found anywhere in the canonical name without regard to case.")
        List<String> headers,

        @JsonPropertyDescription("Destinations; without any, all requests.")
        List<Rule> rules) {

    public HeaderAllowlistConfig {
        headers = List.copyOf(headers);
        rules = List.copyOf(rules);
    }
}
