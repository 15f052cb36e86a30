package dev.sallyport.toolkit.coding;

/** What may be wrong with a coded body for it to be decoded nevertheless. May grow. */
public enum Tolerance {
    /** Bytes follow the coded data; they are dropped. */
    REST("coding_rest"),
    /** The body ends before the coded data does; what could be decoded is delivered. */
    CUT("coding_cut"),
    /** The content is called gzip and does not begin as gzip does; it is taken as it is. */
    PLAIN("coding_plain");

    private final String code;

    Tolerance(String code) {
        this.code = code;
    }

    /** The name in audit records; stable. */
    public String code() {
        return code;
    }
}
