package dev.sallyport.control.store;

import java.util.Set;

/**
 * What a transaction gave, once it is durable.
 *
 * @param position the order number of its last change; 0 when it declared none
 * @param kinds of which kinds the resources are that it changed
 */
public record Written<T>(T value, long position, Set<String> kinds) {}
