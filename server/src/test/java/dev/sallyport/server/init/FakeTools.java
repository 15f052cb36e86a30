package dev.sallyport.server.init;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;

/** Programs that say what a test wants, in a folder of their own, and an environment in which there are no others. */
public final class FakeTools {

    private final Path bin;
    private final Map<String, String> environment = new HashMap<>();

    /** @param folder with the home folder of these tools */
    public FakeTools(Path folder) throws IOException {
        bin = Files.createDirectories(folder.resolve("bin"));
        environment.put("PATH", bin.toString());
        environment.put("HOME", Files.createDirectories(folder.resolve("home")).toString());
    }

    /** A program: the body of a shell script. */
    public FakeTools with(String name, String script) throws IOException {
        Path file = bin.resolve(name);
        Files.writeString(file, "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        return this;
    }

    public Path home(String name) throws IOException {
        Path file = Path.of(environment.get("HOME")).resolve(name);
        Files.createDirectories(file.getParent());
        return file;
    }

    public Map<String, String> environment() {
        return environment;
    }
}
