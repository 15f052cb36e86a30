package dev.sallyport.transforms.secrets;

/** What becomes of a request that takes a placeholder to a destination outside of its rules. */
public enum OnMisdirect {
    /** It goes on with the placeholder as it is, and the audit record says so. */
    ANNOTATE,
    /** It is refused. */
    REJECT
}
