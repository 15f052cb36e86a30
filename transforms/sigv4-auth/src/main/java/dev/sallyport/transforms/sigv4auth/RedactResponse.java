package dev.sallyport.transforms.sigv4auth;

/** Whether credentials that come back are turned into those of the workload. */
public enum RedactResponse {
    /** In responses to requests that were signed here. */
    SWAPPED,
    /** Never. */
    OFF
}
