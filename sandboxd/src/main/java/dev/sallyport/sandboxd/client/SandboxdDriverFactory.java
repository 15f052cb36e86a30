package dev.sallyport.sandboxd.client;

import dev.sallyport.sandbox.VmDriver;
import dev.sallyport.sandbox.VmDriverFactory;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;

/** The driver {@code sandboxd}. Its one setting is {@code socket}, the path of sandboxd's socket. */
public final class SandboxdDriverFactory implements VmDriverFactory {

    private static final String SOCKET = "socket";

    /** For the service loader. */
    public SandboxdDriverFactory() {}

    @Override
    public String name() {
        return "sandboxd";
    }

    @Override
    public VmDriver create(Map<String, String> settings) throws VmException {
        String socket = settings.get(SOCKET);
        if (socket == null || settings.size() > 1) {
            throw new VmException(
                    Reason.INVALID, "driver sandboxd: settings " + settings.keySet() + " (expected: [socket])");
        }
        try {
            return new SandboxdDriver(Path.of(socket));
        } catch (InvalidPathException e) {
            throw new VmException(Reason.INVALID, "driver sandboxd: socket is no path", e);
        }
    }
}
