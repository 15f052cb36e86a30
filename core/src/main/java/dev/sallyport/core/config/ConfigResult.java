package dev.sallyport.core.config;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The result of reading a configuration. */
public sealed interface ConfigResult {

    /** The problems, in the order of the places; empty when it can be used. */
    List<ConfigProblem> problems();

    /** In the order of the places. */
    List<ConfigProblem> warnings();

    /**
     * The configuration as far as it could be bound, so that more can be checked; {@link Locations#isSound} tells which
     * parts are as the file says. Complete when it can be used, null when nothing could be bound.
     */
    @Nullable ProxyConfig draft();

    /** The places of all values. */
    Locations places();

    /** The configuration can be used. */
    record Loaded(ProxyConfig config, List<ConfigProblem> warnings, Locations places) implements ConfigResult {

        public Loaded {
            warnings = warnings.stream().sorted().distinct().toList();
        }

        @Override
        public List<ConfigProblem> problems() {
            return List.of();
        }

        @Override
        public ProxyConfig draft() {
            return config;
        }
    }

    /**
     * The configuration cannot be used.
     *
     * @param problems all problems, in the order of the places; at least one
     */
    record Invalid(
            List<ConfigProblem> problems,
            List<ConfigProblem> warnings,
            @Nullable ProxyConfig draft,
            Locations places) implements ConfigResult {

        public Invalid {
            problems = problems.stream().sorted().distinct().toList();
            warnings = warnings.stream().sorted().distinct().toList();
        }
    }
}
