package dev.sallyport.sources.local;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Configuration of the source {@code file}.
 *
 * @param path the file
 * @param trim whether to strip white space around the value
 * @param ttl how often the file is read again; zero for once
 */
public record FileSource(
        @JsonProperty(required = true)
        @JsonPropertyDescription("File that holds the value, relative to the configuration file.")
        Path path,

        @JsonProperty(defaultValue = "false")
        @JsonPropertyDescription("Strip white space around the value, such as a final line break.")
        boolean trim,

        @JsonProperty(defaultValue = "0s")
        @JsonPropertyDescription(
                "How often the file is read again; `0s` reads it only at the start and at every reload. A reload always reads it.")
        Duration ttl) {}
