package dev.sallyport.control.model;

import com.fasterxml.jackson.annotation.JsonProperty;

/** What becomes of a request to a destination that is not let through. */
public enum EgressMode {
    /** It is refused. */
    @JsonProperty("enforce")
    ENFORCE,
    /** It goes on without credentials, and is recorded. */
    @JsonProperty("warn")
    WARN
}
