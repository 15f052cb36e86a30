package dev.sallyport.sources.local;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Configuration of the source {@code file}.
 *
 * @param path the file
 * @param trim whether white space around the value is no part of it
 * @param ttl how often the file is read again; zero for once
 */
public record FileSource(
        @JsonProperty(required = true)
        @JsonPropertyDescription("File that holds the value; relative to the configuration.")
        Path path,

        @JsonProperty(defaultValue = "false")
        @JsonPropertyDescription("Whether white space around the value, such as a last line break, is no part of it.")
        boolean trim,

        @JsonProperty(defaultValue = "0s")
        @JsonPropertyDescription(
                "How often the file is read again; `0s`: only at the start and at every reload, which reads it in any case.")
        Duration ttl) {}
