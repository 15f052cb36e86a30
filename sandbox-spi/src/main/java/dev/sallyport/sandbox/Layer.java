package dev.sallyport.sandbox;

/**
 * What a snapshot adds to what its VM was made from.
 *
 * @param digest {@code sha256:} and the hash, in lower-case hexadecimal, of its content as an archive without compression
 * @param sizeBytes how much it takes of a disk: the size of that archive, and 4 KiB for each file and folder at least, and
 *     what is kept of the VM's memory
 */
public record Layer(String digest, long sizeBytes) {}
