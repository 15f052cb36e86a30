package dev.sallyport.server.init;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a configuration is for. */
public enum Purpose {
    /** A model's API, the repository at hand and package registries. */
    CODING_AGENT("coding-agent", "a coding agent: its model's API, this repository, package registries"),
    /** The repository at hand and package registries. */
    CI("ci", "a CI job: this repository, package registries"),
    /** Package registries alone, to read from. */
    PACKAGES("packages", "package managers only: their registries, to read from"),
    /** Everything is let through and recorded. */
    OBSERVE("observe", "everything logged, nothing blocked");

    private final String option;
    private final String words;

    Purpose(String option, String words) {
        this.option = option;
        this.words = words;
    }

    /** As the command line has it. */
    public String option() {
        return option;
    }

    /** For people. */
    String words() {
        return words;
    }

    /** Whether package registries belong to it. */
    boolean needsRegistries() {
        return this != OBSERVE;
    }

    /** Whether the repository at hand belongs to it. */
    boolean needsRepository() {
        return this == CODING_AGENT || this == CI;
    }

    /** The one that is called so; null for no such one. */
    public static @Nullable Purpose of(String option) {
        return Arrays.stream(values())
                .filter(purpose -> purpose.option.equals(option))
                .findFirst()
                .orElse(null);
    }

    /** All of them as the command line has them. */
    public static List<String> options() {
        return Arrays.stream(values()).map(Purpose::option).toList();
    }
}
