package dev.sallyport.ctl;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The kind of a policy, where the policy itself may tell it. */
final class KindOption {

    static final String NAME = "--kind";
    static final String LABEL = "KIND";
    static final String KINDS = "secrets, mcp or network.";

    @Option(names = NAME, paramLabel = LABEL, converter = Kind.Converter.class, description = KINDS)
    private @Nullable Kind kind;

    @Nullable Kind kind() {
        return kind;
    }
}
