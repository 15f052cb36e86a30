package dev.sallyport.transforms.secrets;

/** In which responses a real value is turned back into its placeholder. */
public enum RedactResponse {
    /** In those to requests in which it was swapped or injected. */
    SWAPPED,
    /** In all that pass the transform. */
    ALWAYS,
    /** In none. */
    OFF
}
