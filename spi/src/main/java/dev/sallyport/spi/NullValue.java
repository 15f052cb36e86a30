package dev.sallyport.spi;

/**
 * An explicit {@code null} in the configuration, as a component of type {@link Object} or inside its value: an omitted
 * value is null in Java, a written null is this.
 */
public enum NullValue {
    /** The only instance. */
    NULL
}
