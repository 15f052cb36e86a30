package dev.sallyport.transforms.secrets;

/** The part of a request in which a placeholder is found. */
enum RequestPart {
    HEADER,
    QUERY,
    PATH,
    BODY
}
