package dev.sallyport.control.sandbox;

import java.time.Instant;

/**
 * What happened to a VM.
 *
 * @param status what it was from then on
 */
public record VmEvent(Instant at, VmStatus status, VmDetail statusDetail, String message) {

    /** An event with its place in the list. */
    public record Listed(String id, VmEvent event) {}
}
