package dev.sallyport.sandbox;

import dev.sallyport.sandbox.VmException.Reason;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeSet;

/**
 * The driver {@code fake}: walks through all states without guests, for tests of the API. Its settings are {@code dir}, a
 * folder in which VMs outlive the process, and {@code pause_millis}, how long each change takes.
 */
public final class FakeDriverFactory implements VmDriverFactory {

    private static final String DIR = "dir";
    private static final String PAUSE = "pause_millis";

    /** For the service loader. */
    public FakeDriverFactory() {}

    @Override
    public String name() {
        return "fake";
    }

    @Override
    public VmDriver create(Map<String, String> settings) throws VmException {
        TreeSet<String> unknown = new TreeSet<>(settings.keySet());
        unknown.remove(DIR);
        unknown.remove(PAUSE);
        String dir = settings.get(DIR);
        try {
            if (!unknown.isEmpty()) {
                throw new IllegalArgumentException("unknown settings " + unknown);
            }
            return new FakeDriver(
                    dir == null ? null : Path.of(dir),
                    Duration.ofMillis(Integer.parseInt(settings.getOrDefault(PAUSE, "0"))));
        } catch (NumberFormatException | InvalidPathException e) {
            throw new VmException(
                    Reason.INVALID, "driver fake: " + e.getMessage() + " (expected: a path, a number)", e);
        } catch (IllegalArgumentException e) {
            throw new VmException(
                    Reason.INVALID, "driver fake: " + e.getMessage() + " (expected: dir, pause_millis)", e);
        }
    }
}
