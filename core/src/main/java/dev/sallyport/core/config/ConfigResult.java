package dev.sallyport.core.config;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What came of reading a configuration. */
public sealed interface ConfigResult {

    /** In the order of the places. */
    List<ConfigProblem> warnings();

    /** Where everything stands. */
    Places places();

    /** It can be used. */
    record Loaded(ProxyConfig config, List<ConfigProblem> warnings, Places places) implements ConfigResult {

        public Loaded {
            warnings = warnings.stream().sorted().distinct().toList();
        }
    }

    /**
     * It cannot.
     *
     * @param problems all of them, in the order of the places; at least one
     * @param draft what could be made of it, so that more can be checked; {@link Places#isSound} tells what of it is as
     *     the file says. Null when nothing could
     */
    record Invalid(
            List<ConfigProblem> problems,
            List<ConfigProblem> warnings,
            @Nullable ProxyConfig draft,
            Places places) implements ConfigResult {

        public Invalid {
            problems = problems.stream().sorted().distinct().toList();
            warnings = warnings.stream().sorted().distinct().toList();
        }
    }
}
