package dev.sallyport.core.config;

/** How large a document of the configuration may be. Who writes one for the engine keeps to it. */
public final class DocumentLimits {

    /** Characters. */
    public static final int CHARACTERS = 16 << 20;

    /** How deep a value may lie: the document is at 0. */
    public static final int DEPTH = 64;

    /** Values and keys, those behind aliases each time. */
    public static final int NODES = 500_000;

    private DocumentLimits() {}
}
