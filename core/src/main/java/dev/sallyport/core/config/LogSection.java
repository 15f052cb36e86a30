package dev.sallyport.core.config;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;

/** Section {@code log}. */
public record LogSection(
        @JsonProperty(defaultValue = "info") @JsonPropertyDescription("Least level that is written.")
        Level level,

        @JsonPropertyDescription("The audit log.") Audit audit) {

    /** Levels. */
    public enum Level {
        /** What helps to find a fault. */
        DEBUG,
        /** What an operator wants to know. */
        INFO,
        /** What an operator should look at. */
        WARN,
        /** What has failed. */
        ERROR
    }

    /** The audit log. */
    public record Audit(
            @JsonProperty(defaultValue = "16384")
            @Range(min = "64", max = "1048576")
            @JsonPropertyDescription(
                    "How many exchanges may be under way or wait for their record to be written; when all are taken, no more are read.")
            int slots) {}
}
