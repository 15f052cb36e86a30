package dev.sallyport.spi;

/**
 * A {@code null} that was written in the configuration, in the place of a component of type {@link Object} or inside of its
 * value: what was left out is null in Java, what was written as null is this.
 */
public enum NullValue {
    /** The only one. */
    NULL
}
