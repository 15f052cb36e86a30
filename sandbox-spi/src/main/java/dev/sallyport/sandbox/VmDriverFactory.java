package dev.sallyport.sandbox;

import java.util.Map;

/**
 * Makes a {@link VmDriver}. Implementations are found by {@link java.util.ServiceLoader}, need a public no-argument
 * constructor and hold no state.
 */
public interface VmDriverFactory {

    /** The driver's name in the configuration, in lower case. Always the same. */
    String name();

    /**
     * Makes a driver. Blocks.
     *
     * @param settings the driver's settings as text, by name
     * @throws VmException {@code INVALID} for settings that are unknown, missing or wrong, all of them in one message;
     *     {@code UNAVAILABLE} when the driver cannot work here
     */
    VmDriver create(Map<String, String> settings) throws VmException, InterruptedException;
}
