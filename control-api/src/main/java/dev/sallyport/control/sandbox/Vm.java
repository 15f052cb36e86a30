package dev.sallyport.control.sandbox;

import java.time.Instant;

/** A VM as its owner sees it. */
public record Vm(
        String id, String name, VmStatus status, VmDetail statusDetail, Instant createdAt, Instant updatedAt) {}
