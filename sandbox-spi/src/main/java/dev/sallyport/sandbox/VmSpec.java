package dev.sallyport.sandbox;

/**
 * What a VM is made of. Never changes after its creation.
 *
 * @param origin what its file system begins as
 * @param limits what it may take
 * @param network where the gate sees it
 * @param guest what its inside is told
 */
public record VmSpec(Origin origin, VmLimits limits, NetworkLease network, GuestSetup guest) {

    /** Of an image. */
    public VmSpec(ImageName image, VmLimits limits, NetworkLease network, GuestSetup guest) {
        this(new Origin.OfImage(image), limits, network, guest);
    }
}
