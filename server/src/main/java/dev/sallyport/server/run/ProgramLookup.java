package dev.sallyport.server.run;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** Finds programs as a shell does. */
final class ProgramLookup {

    /** As {@link ProcessBuilder#start} says ENOENT, which for a file that is there means its interpreter. */
    private static final Pattern NO_SUCH_FILE = Pattern.compile("error[=:] ?2\\b");

    private ProgramLookup() {}

    /**
     * Looks for a program.
     *
     * @param path the variable {@code PATH} of the program
     * @throws NotRunException when it is not there, or cannot be executed
     */
    static void require(String program, String path) throws NotRunException {
        int missing = missing(program, path);
        if (missing != 0) {
            throw new NotRunException(program, missing);
        }
    }

    /** Why the system could not execute a program that was found. */
    static NotRunException notRun(String program, IOException fault) {
        boolean absent =
                NO_SUCH_FILE.matcher(String.valueOf(fault.getMessage())).find();
        return new NotRunException(program, absent ? NotRunException.NOT_FOUND : NotRunException.NOT_EXECUTABLE);
    }

    private static int missing(String program, String path) {
        try {
            if (program.indexOf('/') >= 0) {
                return missing(Path.of(program));
            }
            int best = NotRunException.NOT_FOUND;
            for (String folder : path.split(File.pathSeparator, -1)) {
                int found = missing(Path.of(folder.isEmpty() ? "." : folder).resolve(program));
                if (found == 0) {
                    return 0;
                }
                best = Math.min(best, found);
            }
            return best;
        } catch (InvalidPathException e) {
            return NotRunException.NOT_FOUND;
        }
    }

    private static int missing(Path file) {
        if (!Files.exists(file)) {
            return NotRunException.NOT_FOUND;
        }
        return Files.isRegularFile(file) && Files.isExecutable(file) ? 0 : NotRunException.NOT_EXECUTABLE;
    }
}
