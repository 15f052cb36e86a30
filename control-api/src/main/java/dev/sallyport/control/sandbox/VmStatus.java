package dev.sallyport.control.sandbox;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Locale;

/** What clients may rely on. */
public enum VmStatus {
    /** It is being made, or boots for the first time. */
    @JsonProperty("pending")
    PENDING,
    /** It runs, or starts again. */
    @JsonProperty("running")
    RUNNING,
    /** It is stopped, or about to be. */
    @JsonProperty("stopped")
    STOPPED,
    /** It is gone, or about to be. */
    @JsonProperty("destroyed")
    DESTROYED,
    /** It cannot be used; it can be deleted. */
    @JsonProperty("failed")
    FAILED;

    /** As the API and the database have it. */
    String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
