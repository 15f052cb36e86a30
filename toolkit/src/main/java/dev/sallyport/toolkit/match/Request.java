package dev.sallyport.toolkit.match;

/** How much of a request is compared with rules. */
enum Request {
    /** Method and path are known. */
    FULL,
    /** Neither is there: rules that name one do not match. */
    HOST_ONLY,
    /** Neither is there yet: any rule whose host, port and scheme match counts. */
    ANY,
    /** Nor is the scheme: any rule whose host and port match counts. */
    ANY_SCHEME
}
