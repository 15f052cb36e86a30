package dev.sallyport.control.api;

/** Directions of lists. */
enum Order {
    /** The oldest, or the first of the alphabet, first. */
    ASC,
    /** The newest, or the last of the alphabet, first. */
    DESC
}
