package dev.sallyport.control.model;

/** Patterns of texts that several resources have. */
public final class Texts {

    /** One character at least that is no space, and no control characters. */
    public static final String PRINTABLE = "[^\\x00-\\x1F\\x7F]*[^\\x00-\\x20\\x7F][^\\x00-\\x1F\\x7F]*";

    /** The same in words. */
    public static final String PRINTABLE_WORDS = "a name without control characters";

    private Texts() {}
}
