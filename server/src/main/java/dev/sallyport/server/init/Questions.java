package dev.sallyport.server.init;

import dev.sallyport.server.Failure;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.List;

/** Asks a person. Not thread-safe. */
public final class Questions {

    private final BufferedReader in;
    private final PrintStream out;

    /** Neither is closed. */
    public Questions(BufferedReader in, PrintStream out) {
        this.in = in;
        this.out = out;
    }

    /** Asks what the configuration is for, until that is understood. */
    public Purpose purpose() throws Failure {
        out.println("What is the proxy for?");
        Purpose[] purposes = Purpose.values();
        for (int i = 0; i < purposes.length; i++) {
            out.println("  " + (i + 1) + "  " + purposes[i].words());
        }
        while (true) {
            String said = ask("1 to " + purposes.length);
            Purpose named = Purpose.of(said);
            if (named != null) {
                return named;
            }
            if (said.matches("[1-9]") && Integer.parseInt(said) <= purposes.length) {
                return purposes[Integer.parseInt(said) - 1];
            }
        }
    }

    /** Asks for the API of the model that an agent calls; an empty answer is none. */
    public String model() throws Failure {
        return ask("Whose model does the agent call? (anthropic, openai, a host, or nothing)");
    }

    /** Asks for hosts; none when nothing is said. */
    public List<String> hosts() throws Failure {
        String said = ask("Which other hosts may be reached? (with commas between, or nothing)");
        return Arrays.stream(said.split("[,\\s]+", -1))
                .filter(host -> !host.isEmpty())
                .toList();
    }

    private String ask(String question) throws Failure {
        out.print(question + ": ");
        out.flush();
        try {
            String line = in.readLine();
            if (line == null) {
                throw new Failure("no answer (expected: one, or options instead: see sallyport init --help)");
            }
            return line.strip();
        } catch (IOException e) {
            throw new Failure("the terminal cannot be read: " + e.getMessage());
        }
    }
}
