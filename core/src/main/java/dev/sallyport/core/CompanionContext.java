package dev.sallyport.core;

import dev.sallyport.toolkit.match.IpRange;
import io.opentelemetry.api.OpenTelemetry;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The services that a proxy lends a companion, from {@link CompanionFactory#create} until the companion is closed.
 * Thread-safe. Only the engine implements it, so it may grow. It gives no access to traffic, and none to the secrets of others.
 */
public interface CompanionContext {

    /** The value of an environment variable of the proxy, or null. Companions do not ask the JVM. */
    @Nullable String environment(String variable);

    /** The folder of the configuration file; relative paths in the section have already been resolved against it. */
    Path folder();

    /** The configuration file; null where the configuration is text. */
    @Nullable Path file();

    /**
     * Whether the file that the proxy started with, or the environment, says anything at a JSON pointer, such as {@code
     * /control/sandboxes}; everything else has its defaults.
     */
    boolean isGiven(String pointer);

    /**
     * The words that begin a command of the program that this proxy is part of, for a companion that runs one as a process of
     * its own; empty where that program has no commands.
     */
    List<String> program();

    /**
     * The door through which policies come in; for a companion that brings some. Updates may be applied from {@link
     * CompanionFactory#create} on: those of {@link Companion#prepare} are in force when the first listener opens, if it
     * waits for them.
     */
    PipelineFeed pipelines();

    /** For a companion that keeps audit records, or shows them. */
    AuditTaps audit();

    /**
     * The transforms that the file in force has for callers of no workload, those of the application among them, by
     * the first of their names; a reload may change them.
     */
    Set<String> transforms();

    /** The ranges that are not dialled for workloads, by the file in force; a reload may change them. */
    List<IpRange> deniedRanges();

    /** For meters and traces; the builder of the proxy owns it. */
    OpenTelemetry telemetry();
}
