package dev.sallyport.control.sandbox;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Locale;

/** How far a snapshot is. */
public enum SnapshotStatus {
    /** It is asked for; its VM has not stood still yet. */
    @JsonProperty("pending")
    PENDING,
    /** The copy is taken, the VM goes on, and the copy is being stored. */
    @JsonProperty("uploading")
    UPLOADING,
    /** VMs can be made from it. */
    @JsonProperty("ready")
    READY,
    /** It came to nothing; the events of its VM tell why. */
    @JsonProperty("failed")
    FAILED;

    /** As the API and the database have it. */
    String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
