package dev.sallyport.server.cli;

import dev.sallyport.core.audit.AuditFile;
import dev.sallyport.core.audit.chain.AuditNames;
import dev.sallyport.server.Failure;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Audit files, or standard input, as commands read them. */
final class AuditInput {

    private AuditInput() {}

    /** Standard output in UTF-8, as the files are, whatever the locale. To be flushed. */
    static PrintStream out() {
        return new PrintStream(System.out, false, StandardCharsets.UTF_8);
    }

    /**
     * The audit files among those that were named. {@code audit.jsonl*} names what lies beside them, too: checkpoints, and
     * the private key, of which nothing is to be shown.
     *
     * @param files empty for standard input
     */
    static List<Path> records(List<Path> files, CommandLine command) {
        List<Path> records =
                files.stream().filter(file -> !AuditNames.isCompanion(file)).toList();
        if (records.isEmpty() && !files.isEmpty()) {
            throw new ParameterException(command, "no audit file among these");
        }
        return records;
    }

    /** The same of names, of which {@code -} is standard input. */
    static List<String> named(List<String> files, CommandLine command) {
        return records(files.stream().map(Path::of).toList(), command).stream()
                .map(Path::toString)
                .toList();
    }

    /** Hands on each line of the files in their order; of standard input when there are none. */
    static void lines(List<Path> files, Consumer<String> receiver) throws Failure {
        if (files.isEmpty()) {
            try {
                lines(System.in, receiver);
            } catch (IOException e) {
                throw new Failure("standard input cannot be read: " + e.getMessage());
            }
        }
        for (Path file : files) {
            try (InputStream in = Files.newInputStream(file)) {
                lines(in, receiver);
            } catch (IOException e) {
                throw failure(file, e);
            }
        }
    }

    private static void lines(InputStream in, Consumer<String> receiver) throws IOException {
        BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            receiver.accept(line);
        }
    }

    /** What is said of a file that cannot be read. */
    static Failure failure(Path file, IOException why) {
        return new Failure(file + ": " + reason(file, why) + " (expected: an audit file that this user may read)");
    }

    /** Why a file cannot be read. */
    static String reason(Path file, IOException why) {
        if (why instanceof NoSuchFileException) {
            return "no such file";
        }
        return Files.isDirectory(file) ? "a folder" : "cannot be read: " + AuditFile.reason(why);
    }
}
