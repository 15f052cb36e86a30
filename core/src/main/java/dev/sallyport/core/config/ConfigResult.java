package dev.sallyport.core.config;

import java.util.List;

/** What came of reading a configuration. */
public sealed interface ConfigResult {

    /** In the order of the places. */
    List<ConfigProblem> warnings();

    /** It can be used. */
    record Loaded(ProxyConfig config, List<ConfigProblem> warnings) implements ConfigResult {}

    /**
     * It cannot.
     *
     * @param problems all of them, in the order of the places; at least one
     */
    record Invalid(List<ConfigProblem> problems, List<ConfigProblem> warnings) implements ConfigResult {}
}
