package dev.sallyport.core;

import dev.sallyport.spi.SecretValue;

/**
 * The value of a secret that pipelines refer to as {@code {type: control_plane, ref: ID}}.
 *
 * @param version told apart from other versions of the same secret; a value with the version that is there already
 *     changes nothing
 */
public record DeliveredSecret(String version, SecretValue value) {}
