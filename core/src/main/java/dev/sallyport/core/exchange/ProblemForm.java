package dev.sallyport.core.exchange;

/** How a problem document is told to a client. */
public enum ProblemForm {

    /** In JSON unless the client does not accept that; the reason phrase is the status's own. */
    DOCUMENT,

    /**
     * So that clients show it to people: in JSON only for clients that name it, and in the reason phrase of HTTP/1.1 as
     * well.
     */
    EXPLAINED
}
