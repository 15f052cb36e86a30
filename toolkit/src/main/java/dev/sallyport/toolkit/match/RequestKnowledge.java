package dev.sallyport.toolkit.match;

/** How much of a request is known when it is compared with rules. */
enum RequestKnowledge {
    /** Method and path are known. */
    FULL,
    /** Method and path do not exist: rules that name one do not match. */
    HOST_ONLY,
    /** Method and path are not known yet: any rule whose host, port and scheme match counts. */
    ANY,
    /** The scheme is not known yet either: any rule whose host and port match counts. */
    ANY_SCHEME
}
