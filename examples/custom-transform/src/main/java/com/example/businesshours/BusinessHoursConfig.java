package com.example.businesshours;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.Rule;
import java.util.List;

/** The block {@code config}. The proxy binds it and reports wrong types, unknown keys and malformed rules. */
public record BusinessHoursConfig(
        @JsonProperty(defaultValue = "08:00") @JsonPropertyDescription("The time of day from which requests are allowed.")
        String from,

        @JsonProperty(defaultValue = "18:00") @JsonPropertyDescription("The time of day until which requests are allowed.")
        String to,

        @JsonProperty(defaultValue = "UTC") @JsonPropertyDescription("Time zone of both.")
        String zone,

        @JsonPropertyDescription("Destinations; empty means all.")
        List<Rule> rules) {}
