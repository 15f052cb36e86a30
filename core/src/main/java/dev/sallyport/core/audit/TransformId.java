package dev.sallyport.core.audit;

/**
 * Which transform it is; one object for all its entries in records.
 *
 * @param name the transform
 * @param instance the name that distinguishes it from others of its kind; empty when it has none
 */
public record TransformId(String name, String instance) {}
