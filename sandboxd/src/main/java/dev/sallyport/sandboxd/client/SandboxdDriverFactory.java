package dev.sallyport.sandboxd.client;

import dev.sallyport.sandbox.VmDriver;
import dev.sallyport.sandbox.VmDriverFactory;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;

/**
 * The driver {@code sandboxd}. Its settings are {@code socket}, the path of sandboxd's socket, and maybe {@code driver}, the
 * name of the driver that sandboxd has to run.
 */
public final class SandboxdDriverFactory implements VmDriverFactory {

    private static final String SOCKET = "socket";
    private static final String DRIVER = "driver";

    /** For the service loader. */
    public SandboxdDriverFactory() {}

    @Override
    public String name() {
        return "sandboxd";
    }

    @Override
    public VmDriver create(Map<String, String> settings) throws VmException {
        String socket = settings.get(SOCKET);
        if (socket == null || !Set.of(SOCKET, DRIVER).containsAll(settings.keySet())) {
            throw new VmException(
                    Reason.INVALID,
                    "driver sandboxd: settings " + settings.keySet() + " (expected: socket, and maybe driver)");
        }
        try {
            return new SandboxdDriver(Path.of(socket), settings.get(DRIVER));
        } catch (InvalidPathException e) {
            throw new VmException(Reason.INVALID, "driver sandboxd: socket is no path", e);
        }
    }
}
