package dev.sallyport.core;

import dev.sallyport.core.config.ConfigProblem;
import java.util.List;

/** What came of a reload. */
public sealed interface ReloadResult {

    /**
     * The new configuration is in force.
     *
     * @param generation the number of the new generation
     * @param warnings doubts about the configuration, one line each
     * @param restartRequired JSON pointers of changes that take effect only with a restart
     * @param stale names of secrets that could not be read again and keep the values that they had
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
