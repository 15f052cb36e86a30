package dev.sallyport.ctl;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The kind of policies that a command is about. */
final class RequiredKind {

    @Option(
            names = KindOption.NAME,
            required = true,
            paramLabel = KindOption.LABEL,
            converter = Kind.Converter.class,
            description = KindOption.KINDS)
    private @Nullable Kind kind;

    Kind kind() {
        return Objects.requireNonNull(kind, KindOption.NAME);
    }
}
