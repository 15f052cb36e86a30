package dev.sallyport.core.config;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.Problems;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Section {@code log}. */
public record LogSection(
        @JsonProperty(defaultValue = "info") @JsonPropertyDescription("Lowest level that is written.")
        Level level,

        @JsonPropertyDescription("The audit log.") Audit audit) {

    /** Levels. */
    public enum Level {
        /** Details for troubleshooting. */
        DEBUG,
        /** Events of normal operation. */
        INFO,
        /** Events that need the operator's attention. */
        WARN,
        /** Failures. */
        ERROR
    }

    /**
     * When the file is closed and another begun.
     *
     * @param keep null for all
     */
    public record Rotate(
            @JsonProperty(defaultValue = "256MiB")
            @Range(min = "1MiB")
            @JsonPropertyDescription(
                    "The file is renamed to `NAME.000001` and up, and another begun, before it has more bytes than this.")
            ByteSize size,

            @JsonProperty(defaultValue = "24h")
            @Range(min = "1s")
            @JsonPropertyDescription("The same when a record comes so long after the first of the file.")
            Duration age,

            @Range(min = "1", max = "1000000")
            @JsonPropertyDescription("How many renamed files are kept, the newest. All when unset.")
            @Nullable Integer keep) {}

    /**
     * The signed checkpoints of the chain.
     *
     * @param keyFile null for the one beside the file
     */
    public record Checkpoint(
            @JsonProperty(defaultValue = "1s")
            @Range(min = "1s")
            @JsonPropertyDescription("How often a checkpoint is signed, also when there were no records.")
            Duration every,

            @JsonProperty(defaultValue = "10000")
            @Range(min = "1")
            @JsonPropertyDescription(
                    "After how many records one is signed before that; but never more than one a second.")
            int records,

            @JsonPropertyDescription(
                    "Path of the private key, made with mode 0600 if it is not there. `NAME.key` beside the file when unset.")
            @Nullable Path keyFile) {}

    /**
     * The audit log.
     *
     * @param stdout null when not set
     * @param file null for none
     */
    public record Audit(
            @JsonPropertyDescription(
                    "Write records to standard output. By default, they are written there if no `file` is set, except in an application that embeds the proxy.")
            @Nullable Boolean stdout,

            @JsonPropertyDescription(
                    "Path of a file to which records are appended, created with mode 0600; each proxy needs its own. `NAME.inflight` beside it holds the exchanges in progress.")
            @Nullable Path file,

            @JsonPropertyDescription("When the file is closed and another begun.")
            Rotate rotate,

            @JsonPropertyDescription(
                    "Whether each record has a number and the hash of the one before, and checkpoints are signed, so that `sallyport audit verify` finds what was changed; needs a `file`.")
            boolean chain,

            @JsonPropertyDescription("The checkpoints of the chain.")
            Checkpoint checkpoint,

            @JsonProperty(defaultValue = "16384")
            @Range(min = "64", max = "1048576")
            @JsonPropertyDescription(
                    "The most exchanges that may be in progress or wait for their record to be written; at the limit, no further requests are read.")
            int slots)
            implements SelfValidating {

        /** Whether standard output gets records, given the default for a section that does not say. */
        public boolean onStandardOutput(boolean unlessSaid) {
            return stdout == null ? unlessSaid && file == null : stdout;
        }

        @Override
        public void check(Problems problems) {
            if (chain && file == null) {
                problems.add("/chain", "a chain without a file", "a file, which the chain continues at each start");
            }
        }

        @Override
        public void warn(Problems warnings) {
            if (Boolean.FALSE.equals(stdout) && file == null) {
                warnings.add("/stdout", "no audit records would be kept", "a file, or stdout: true");
            }
        }
    }
}
