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

    /** The place of a pointer's target, or of the nearest enclosing value if there is none. */
    static Location locate(ConfigNode from, String pointer) {
        ConfigNode node = from;
        String[] tokens = pointer.split("/", -1);
        for (int i = 1; i < tokens.length; i++) {
            ConfigNode next = step(node, unescaped(tokens[i]));
            if (next == null) {
                break;
            }
            node = next;
        }
        return node.at();
    }

    /** The target of a pointer, or null. */
    static @Nullable ConfigNode find(ConfigNode from, String pointer) {
        ConfigNode node = from;
        String[] tokens = pointer.split("/", -1);
        for (int i = 1; node != null && i < tokens.length; i++) {
            node = step(node, unescaped(tokens[i]));
        }
        return node;
    }

    /** A relative pointer as it should have been given: with a slash before the first key. */
    static String relative(String pointer) {
        return pointer.isEmpty() || pointer.startsWith("/") ? pointer : "/" + pointer;
    }

    /** The last key of a pointer. */
    static String last(String pointer) {
        return unescaped(pointer.substring(pointer.lastIndexOf('/') + 1));
    }

    private static String unescaped(String token) {
        return token.replace("~1", "/").replace("~0", "~");
    }

    private static @Nullable ConfigNode step(ConfigNode node, String token) {
        return switch (node) {
            case ConfigNode.Mapping mapping -> mapping.get(token);
            case ConfigNode.Sequence sequence ->
                token.matches("[0-9]{1,9}")
                                && Integer.parseInt(token) < sequence.items().size()
                        ? sequence.items().get(Integer.parseInt(token))
                        : null;
            case ConfigNode.Scalar scalar -> null;
        };
    }
}
