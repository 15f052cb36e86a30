package dev.sallyport.sandbox;

import dev.sallyport.sandbox.VmException.Reason;
import java.util.Map;
import java.util.TreeSet;

/** Settings of drivers that take none. */
final class Settings {

    private Settings() {}

    static void requireNone(String driver, Map<String, String> settings) throws VmException {
        if (!settings.isEmpty()) {
            throw new VmException(
                    Reason.INVALID,
                    "driver " + driver + ": unknown settings " + new TreeSet<>(settings.keySet())
                            + " (expected: none)");
        }
    }
}
