package dev.sallyport.core.config;

import java.util.Arrays;
import java.util.List;

/** Nodes for what is given as plain text: variables of the environment and defaults. */
final class TextNodes {

    private TextNodes() {}

    /** Whether a kind can be given as text: a scalar, or a list of scalars. */
    static boolean fits(Kind kind) {
        return switch (kind) {
            case ScalarKind scalar -> true;
            case Kind.Choice choice -> true;
            case Kind.Many many -> many.item() instanceof ScalarKind || many.item() instanceof Kind.Choice;
            default -> false;
        };
    }

    /** The node: lists are separated by commas, {@code []} is the empty list. */
    static Node of(Kind kind, String text, Location at) {
        if (!(kind instanceof Kind.Many)) {
            return new Node.Scalar(at, text, Node.Type.TEXT);
        }
        if (text.strip().equals("[]")) {
            return new Node.Sequence(at, List.of());
        }
        return new Node.Sequence(
                at,
                Arrays.stream(text.split(",", -1))
                        .map(item -> (Node) new Node.Scalar(at, item.strip(), Node.Type.TEXT))
                        .toList());
    }
}
