package dev.sallyport.transforms.secrets;

/** Where a placeholder may stand. */
enum Place {
    HEADER,
    QUERY,
    PATH,
    BODY
}
