package dev.sallyport.control.sandbox;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Locale;

/** How far a VM is; each belongs to one status. */
public enum VmDetail {
    /** It waits until fewer VMs are being made. */
    @JsonProperty("queued")
    QUEUED(VmStatus.PENDING),
    /** It is being made. */
    @JsonProperty("creating")
    CREATING(VmStatus.PENDING),
    /** It is made and begins to boot, for the first time. */
    @JsonProperty("starting")
    STARTING(VmStatus.PENDING),
    /** It runs, or starts again; nobody can log in yet. */
    @JsonProperty("running")
    RUNNING(VmStatus.RUNNING),
    /** Its SSH answers, and its policy is in force at the gate. */
    @JsonProperty("ready")
    READY(VmStatus.RUNNING),
    /** It is about to be stopped. */
    @JsonProperty("stopping")
    STOPPING(VmStatus.STOPPED),
    /** Nothing of it runs. */
    @JsonProperty("stopped")
    STOPPED(VmStatus.STOPPED),
    /** It is about to be removed. */
    @JsonProperty("destroying")
    DESTROYING(VmStatus.DESTROYED),
    /** Nothing of it is left. */
    @JsonProperty("destroyed")
    DESTROYED(VmStatus.DESTROYED),
    /** An error, which its events have. */
    @JsonProperty("failed")
    FAILED(VmStatus.FAILED);

    private final VmStatus status;

    VmDetail(VmStatus status) {
        this.status = status;
    }

    /** The status that it belongs to. */
    public VmStatus status() {
        return status;
    }

    /** As the API and the database have it. */
    String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
