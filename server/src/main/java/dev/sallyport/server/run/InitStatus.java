package dev.sallyport.server.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What PID 1 of the program's namespaces said before the program ran.
 *
 * @param ready whether the program was about to run
 * @param failure why not; null when it was
 * @param reachable sockets that could not be masked
 */
record InitStatus(boolean ready, @Nullable String failure, List<String> reachable) {

    InitStatus {
        reachable = List.copyOf(reachable);
    }

    /** Reads it; a file that is not there yet says nothing. */
    static InitStatus read(Path file) throws IOException {
        List<String> lines = Files.exists(file) ? Files.readAllLines(file, SystemNames.CHARSET) : List.of();
        return new InitStatus(
                lines.contains("ready"),
                said(lines, "failed ").stream().findFirst().orElse(null),
                said(lines, "reachable "));
    }

    private static List<String> said(List<String> lines, String word) {
        return lines.stream()
                .filter(line -> line.startsWith(word))
                .map(line -> line.substring(word.length()))
                .toList();
    }
}
