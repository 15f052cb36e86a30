package dev.sallyport.sandbox;

import java.time.Instant;

/**
 * A base image that a driver holds.
 *
 * @param name its name
 * @param digest {@code sha256:} and the hash, in lower-case hexadecimal, of the archive that it was unpacked from
 * @param sizeBytes the size of that archive
 * @param createdAt when it was brought in
 */
public record Image(ImageName name, String digest, long sizeBytes, Instant createdAt) {}
