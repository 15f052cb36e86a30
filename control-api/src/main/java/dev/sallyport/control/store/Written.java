package dev.sallyport.control.store;

/**
 * What a transaction gave, once it is durable.
 *
 * @param position the order number of its last change; 0 when it declared none
 */
public record Written<T>(T value, long position) {}
