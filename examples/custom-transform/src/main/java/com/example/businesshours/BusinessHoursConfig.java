package com.example.businesshours;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.Rule;
import java.util.List;

/** What stands under {@code config}. The proxy binds it, and reports wrong types, unknown keys and malformed rules. */
public record BusinessHoursConfig(
        @JsonProperty(defaultValue = "08:00") @JsonPropertyDescription("When requests begin to be allowed.")
        String from,

        @JsonProperty(defaultValue = "18:00") @JsonPropertyDescription("When they cease to be.")
        String to,

        @JsonProperty(defaultValue = "UTC") @JsonPropertyDescription("Time zone of both.")
        String zone,

        @JsonPropertyDescription("Destinations; empty means all.")
        List<Rule> rules) {}
