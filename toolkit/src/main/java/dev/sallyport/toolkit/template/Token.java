package dev.sallyport.toolkit.template;

/**
 * A piece of a template.
 *
 * @param offset where it begins in the source
 * @param text the text outside actions, the name, or the number; for a field its names joined by dots
 * @param bytes the bytes of a string or of text outside actions
 */
record Token(Type type, int offset, String text, Bytes bytes) {

    enum Type {
        TEXT("text"),
        OPEN("{{"),
        CLOSE("}}"),
        FIELD("a field"),
        NAME("a name"),
        STRING("a string"),
        NUMBER("a number"),
        PIPE("|"),
        LEFT("("),
        RIGHT(")"),
        END("the end of the template");

        private final String words;

        Type(String words) {
            this.words = words;
        }

        String words() {
            return words;
        }
    }
}
