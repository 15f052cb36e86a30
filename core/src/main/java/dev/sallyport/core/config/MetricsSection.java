package dev.sallyport.core.config;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import org.jspecify.annotations.Nullable;

/**
 * Section {@code metrics}.
 *
 * @param listen null when it is off
 */
public record MetricsSection(
        @JsonProperty(defaultValue = ":9090")
        @JsonPropertyDescription("Address of the metrics and health endpoint.")
        @Nullable ListenAddress listen,

        @JsonProperty(defaultValue = "false")
        @JsonPropertyDescription(
                "Whether histograms are also native ones, for a Prometheus that asks for protobuf: exact to a few percent at any duration.")
        boolean nativeHistograms) {}
