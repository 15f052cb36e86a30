package dev.sallyport.server.cli;

import dev.sallyport.core.Subcommand;
import dev.sallyport.server.Failure;
import dev.sallyport.server.ProgramContext;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** The commands that other modules on the class path add. */
final class Subcommands {

    private Subcommands() {}

    /** All of them. */
    static List<Subcommand> all() {
        return ServiceLoader.load(Subcommand.class, Subcommands.class.getClassLoader()).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
    }

    /** The one of this name, or null. */
    static @Nullable Subcommand named(String name) {
        if (name.startsWith("-")) {
            return null;
        }
        return all().stream()
                .filter(command -> command.name().equals(name))
                .findFirst()
                .orElse(null);
    }

    /** Runs a command; its name is the first argument. Returns its exit code. */
    static int run(Subcommand command, String... arguments) {
        try (ProgramContext context = ProgramContext.open()) {
            return command.run(List.of(arguments).subList(1, arguments.length), context);
        } catch (Failure | InterruptedException | RuntimeException e) {
            return ProblemPrinter.report(e, new PrintWriter(System.err, true, StandardCharsets.UTF_8));
        }
    }
}
