package dev.sallyport.transforms.secrets;

/** What happens to a request that carries a placeholder to a destination outside its rules. */
public enum OnMisdirect {
    /** The request continues with the placeholder unchanged, and the audit record says so. */
    ANNOTATE,
    /** The request is refused. */
    REJECT
}
