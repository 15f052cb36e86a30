package dev.sallyport.core.config;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.Problems;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Section {@code log}. */
public record LogSection(
        @JsonProperty(defaultValue = "info") @JsonPropertyDescription("Least level that is written.")
        Level level,

        @JsonPropertyDescription("The audit log.") Audit audit) {

    /** Levels. */
    public enum Level {
        /** Details that help to find a fault. */
        DEBUG,
        /** Events of normal operation. */
        INFO,
        /** Events that need the operator's attention. */
        WARN,
        /** Failures. */
        ERROR
    }

    /**
     * The audit log.
     *
     * @param stdout null where nothing is said
     * @param file null for none
     */
    public record Audit(
            @JsonPropertyDescription(
                    "Whether records go to standard output. By default they do where no `file` is set; never unasked in an application that embeds the proxy.")
            @Nullable Boolean stdout,

            @JsonPropertyDescription(
                    "Path of a file that records are appended to, made with mode 0600; each proxy needs one of its own. `NAME.inflight` beside it holds what is under way.")
            @Nullable Path file,

            @JsonProperty(defaultValue = "16384")
            @Range(min = "64", max = "1048576")
            @JsonPropertyDescription(
                    "How many exchanges may be under way or wait for their record to be written; when all are taken, no more are read.")
            int slots)
            implements SelfValidating {

        /** Whether standard output gets records, given whether it does where the file says nothing. */
        public boolean onStandardOutput(boolean unlessSaid) {
            return stdout == null ? unlessSaid && file == null : stdout;
        }

        @Override
        public void warn(Problems warnings) {
            if (Boolean.FALSE.equals(stdout) && file == null) {
                warnings.add("/stdout", "no audit record is kept", "a file, or stdout: true");
            }
        }
    }
}
