package dev.sallyport.core.config;

import dev.sallyport.spi.SecretRef;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Values that replace those that could not be bound, so that the rest can still be checked. They are never used: the
 * configuration has been refused.
 */
final class StandInValues {

    private StandInValues() {}

    /** For a type without a stand-in. */
    private record NoConfig() {}

    /** For a value of this kind, or {@link Binder#FAILED} when there is none. */
    static Object of(BindingKind kind, @Nullable Range range, Path folder, String pointer) {
        return switch (kind) {
            case ScalarKind scalar -> scalar(scalar, range, folder);
            case BindingKind.Choice choice ->
                choice.constants().values().iterator().next();
            case BindingKind.Many many -> List.of();
            case BindingKind.Named named -> Map.of();
            case BindingKind.Reference reference -> new SecretRef("", new NoConfig(), "", false, pointer);
            case BindingKind.Any any -> "";
            case BindingKind.Block block -> Binder.FAILED;
            case BindingKind.Entry entry -> Binder.FAILED;
        };
    }

    private static Object scalar(ScalarKind kind, @Nullable Range range, Path folder) {
        String least = range == null || range.min().isEmpty() ? "0" : range.min();
        return switch (kind) {
            case TEXT -> "";
            case BOOLEAN -> false;
            case INT, LONG, NUMBER, SIZE, DURATION -> kind.parse(least, folder);
            case LISTEN -> new ListenAddress("", 0);
            case FILE -> folder;
            case SERVER, ADDRESS, CIDR, PROXY_URL -> Binder.FAILED;
        };
    }
}
