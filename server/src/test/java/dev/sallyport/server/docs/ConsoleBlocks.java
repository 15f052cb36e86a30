package dev.sallyport.server.docs;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The commands of a page, from its {@code console} blocks, with what they are said to print. */
record ConsoleBlocks(List<Command> commands) {

    /**
     * A command.
     *
     * @param line where it stands in the page, from 1
     * @param output lines; {@code ...} is any text, and on a line of its own any lines
     */
    record Command(int line, String text, List<String> output) {

        /** Whether it goes on while the next ones run. */
        boolean inBackground() {
            return text.endsWith(" &");
        }

        /** Whether this is what it is said to print. */
        boolean matches(String printed) {
            StringBuilder pattern = new StringBuilder();
            for (String expected : output) {
                if (expected.equals("...")) {
                    pattern.append("(?:[^\n]*\n)*");
                } else {
                    String[] parts = expected.split("\\.\\.\\.", -1);
                    for (int i = 0; i < parts.length; i++) {
                        pattern.append(i == 0 ? "" : "[^\n]*").append(Pattern.quote(parts[i]));
                    }
                    pattern.append("\n");
                }
            }
            String lines = printed.isEmpty() || printed.endsWith("\n") ? printed : printed + "\n";
            return Pattern.matches(pattern.toString(), lines);
        }
    }

    static ConsoleBlocks of(String page) {
        List<Command> commands = new ArrayList<>();
        List<String> output = new ArrayList<>();
        boolean inside = false;
        int number = 0;
        for (String line : page.split("\n", -1)) {
            number++;
            if (line.equals("```console")) {
                inside = true;
            } else if (line.equals("```")) {
                inside = false;
            } else if (inside && line.startsWith("$ ")) {
                output = new ArrayList<>();
                commands.add(new Command(number, line.substring(2), output));
            } else if (inside) {
                output.add(line);
            }
        }
        return new ConsoleBlocks(commands);
    }
}
