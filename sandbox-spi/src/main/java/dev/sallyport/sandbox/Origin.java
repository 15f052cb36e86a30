package dev.sallyport.sandbox;

/** What the file system of a VM begins as. */
public sealed interface Origin {

    /** An image, as its name points to it at the VM's creation. */
    record OfImage(ImageName name) implements Origin {}

    /** A sealed snapshot of a VM. */
    record OfSnapshot(SnapshotId id) implements Origin {}
}
