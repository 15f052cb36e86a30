package dev.sallyport.core;

import dev.sallyport.core.config.ConfigProblem;
import java.util.List;

/** The outcome of a reload. */
public sealed interface ReloadResult {

    /**
     * The new configuration is in force.
     *
     * @param generation the number of the new generation
     * @param warnings warnings about the configuration, one line each
     * @param restartRequired JSON pointers of changes that take effect only with a restart
     * @param stale names of secrets that could not be read again and keep their values
     */
    record Reloaded(int generation, List<String> warnings, List<String> restartRequired, List<String> stale)
            implements ReloadResult {}

    /**
     * Nothing has changed.
     *
     * @param problems everything that is wrong
     */
    record Refused(List<ConfigProblem> problems) implements ReloadResult {}
}
