package dev.sallyport.transforms.judge;

import dev.sallyport.spi.Headers;
import dev.sallyport.toolkit.headers.HeaderNames;
import dev.sallyport.toolkit.scan.PlaceholderReplacer;
import dev.sallyport.toolkit.scan.Placeholders;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Header values that are hidden from a model: credentials, unless they carry a placeholder, which is worthless. */
final class Credentials {

    private static final Set<String> FIELDS = Set.of("Authorization", "Proxy-Authorization", "Cookie");

    private final PlaceholderReplacer placeholders;

    Credentials(Set<String> placeholders) {
        this.placeholders = Placeholders.of(placeholders.stream()
                        .map(text -> text.getBytes(StandardCharsets.UTF_8))
                        .toList())
                .replacer();
    }

    /** The value, or its mask. */
    String shown(String name, String value) {
        if (!FIELDS.contains(HeaderNames.canonical(name)) || placeholders.mayFind(new Line(name, value))) {
            return value;
        }
        return "[masked, " + value.length() + " bytes]";
    }

    /** Whether the field alone marks a credential. */
    private record Line(String field, String text) implements Headers {

        @Override
        public int size() {
            return 1;
        }

        @Override
        public String name(int index) {
            return field;
        }

        @Override
        public String value(int index) {
            return text;
        }

        @Override
        public @Nullable String first(String name) {
            return field.equalsIgnoreCase(name) ? text : null;
        }

        @Override
        public String toString() {
            return "Line[" + field + "]";
        }
    }
}
