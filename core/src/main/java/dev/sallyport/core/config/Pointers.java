package dev.sallyport.core.config;

import org.jspecify.annotations.Nullable;

/** JSON pointers (RFC 6901). */
final class Pointers {

    private Pointers() {}

    static String child(String pointer, String key) {
        return pointer + "/" + key.replace("~", "~0").replace("/", "~1");
    }

    static String child(String pointer, int index) {
        return pointer + "/" + index;
    }

    /** The place of what a pointer leads to, or of the nearest thing around it when there is nothing. */
    static Location locate(Node from, String pointer) {
        Node node = from;
        String[] tokens = pointer.split("/", -1);
        for (int i = 1; i < tokens.length; i++) {
            Node next = step(node, tokens[i].replace("~1", "/").replace("~0", "~"));
            if (next == null) {
                break;
            }
            node = next;
        }
        return node.at();
    }

    private static @Nullable Node step(Node node, String token) {
        return switch (node) {
            case Node.Mapping mapping -> mapping.get(token);
            case Node.Sequence sequence ->
                token.matches("[0-9]{1,9}")
                                && Integer.parseInt(token) < sequence.items().size()
                        ? sequence.items().get(Integer.parseInt(token))
                        : null;
            case Node.Scalar scalar -> null;
        };
    }
}
