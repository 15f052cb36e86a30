package dev.sallyport.toolkit.template;

/** Kinds of values. */
enum Kind {
    /** Bytes; held as {@code byte[]}. */
    TEXT("a text"),
    /** A whole number; held as {@code Long}. */
    NUMBER("a number"),
    /** True or false; held as {@code Boolean}. */
    TRUTH("true or false"),
    /** One of the other kinds, known only when {@code and} or {@code or} has chosen. */
    MIXED("a value of one kind"),
    /** A map of texts; only {@code index} accepts it. */
    MAP("a map");

    private final String words;

    Kind(String words) {
        this.words = words;
    }

    String words() {
        return words;
    }
}
