package dev.sallyport.core.config;

import java.util.Arrays;
import java.util.List;

/** Nodes for plain text: environment variables and defaults. */
final class TextNodes {

    private TextNodes() {}

    /** Whether a kind can be given as text: a scalar, or a list of scalars. */
    static boolean fits(BindingKind kind) {
        return switch (kind) {
            case ScalarKind scalar -> true;
            case BindingKind.Choice choice -> true;
            case BindingKind.Many many ->
                many.item() instanceof ScalarKind || many.item() instanceof BindingKind.Choice;
            default -> false;
        };
    }

    /** The node: lists are separated by commas, {@code []} is the empty list. */
    static ConfigNode of(BindingKind kind, String text, Location at) {
        if (!(kind instanceof BindingKind.Many)) {
            return new ConfigNode.Scalar(at, text, ConfigNode.Type.TEXT);
        }
        if (text.strip().equals("[]")) {
            return new ConfigNode.Sequence(at, List.of());
        }
        return new ConfigNode.Sequence(
                at,
                Arrays.stream(text.split(",", -1))
                        .map(item -> (ConfigNode) new ConfigNode.Scalar(at, item.strip(), ConfigNode.Type.TEXT))
                        .toList());
    }
}
