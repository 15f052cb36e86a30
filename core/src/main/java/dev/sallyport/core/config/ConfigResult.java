package dev.sallyport.core.config;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The result of reading a configuration. */
public sealed interface ConfigResult {

    /** Why it cannot be used, in the order of the places; empty when it can. */
    List<ConfigProblem> problems();

    /** In the order of the places. */
    List<ConfigProblem> warnings();

    /**
     * What could be made of it, so that more can be checked; {@link Locations#isSound} tells what of it is as the file
     * says. All of it when it can be used, null when nothing could be made.
     */
    @Nullable ProxyConfig draft();

    /** Where everything stands. */
    Locations places();

    /** It can be used. */
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
     * It cannot.
     *
     * @param problems all of them, in the order of the places; at least one
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
