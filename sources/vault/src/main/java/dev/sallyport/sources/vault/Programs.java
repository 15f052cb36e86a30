package dev.sallyport.sources.vault;

import dev.sallyport.spi.SecretException;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Finds programs, with clearer errors than the system's. */
final class Programs {

    private Programs() {}

    /**
     * The program.
     *
     * @param command a path if it has a separator, otherwise a name on the path
     * @param path the value of PATH; relative entries are ignored
     */
    static Path find(String command, @Nullable String path) throws SecretException {
        if (command.indexOf(File.separatorChar) >= 0) {
            Path program = Path.of(command);
            if (!Files.exists(program)) {
                throw new SecretException("program " + command + " does not exist");
            }
            return executable(program, command);
        }
        Path other = null;
        for (String folder : (path == null ? "" : path).split(File.pathSeparator, -1)) {
            Path program = folder.startsWith(File.separator) ? Path.of(folder, command) : null;
            if (program == null || !Files.isRegularFile(program)) {
                continue;
            }
            if (Files.isExecutable(program)) {
                return program;
            }
            other = other == null ? program : other;
        }
        if (other != null) {
            return executable(other, other.toString());
        }
        throw new SecretException(
                "program " + command + " is not on the PATH of the proxy (expected: the vendor's command"
                        + " line tool there, or its path as command)");
    }

    private static Path executable(Path program, String shown) throws SecretException {
        if (!Files.isRegularFile(program) || !Files.isExecutable(program)) {
            throw new SecretException(shown + " is not a program that the proxy's user may execute");
        }
        return program;
    }
}
