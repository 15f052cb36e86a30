package dev.sallyport.control.account;

import java.util.function.Supplier;

/**
 * How accounts are made.
 *
 * @param open whether anybody may sign up
 * @param baseUrl the address of the control plane as clients know it, without a slash at the end; known once it listens
 */
public record AccountSettings(boolean open, Supplier<String> baseUrl) {}
