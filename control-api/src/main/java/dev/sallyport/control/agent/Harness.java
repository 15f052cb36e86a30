package dev.sallyport.control.agent;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A program that an agent can be, as a template of its command. Its standard input is the prompt. Of an element of the
 * command, {@code {prompt}} is the text of the prompt, {@code {prompt_file}} and {@code {arguments_file}} are files with the
 * prompt and the arguments of the agent, {@code {repository}} is the folder of the repository; an element {@code
 * {arguments}} is replaced by the arguments, each an element of its own. No shell reads any of it.
 *
 * @param image what its VMs begin as; null for what all do
 */
public record Harness(
        String name, List<String> command, @Nullable String image) {

    /** What can stand in an element. */
    public static final String ARGUMENTS = "{arguments}";

    /** Those that are built in: one that people want, and one that tests want. */
    public static final List<Harness> BUILT_IN = List.of(
            new Harness(
                    "claude-code",
                    List.of(
                            "env",
                            "IS_SANDBOX=1",
                            "claude",
                            "--print",
                            "--verbose",
                            "--output-format",
                            "stream-json",
                            "--dangerously-skip-permissions",
                            ARGUMENTS),
                    null),
            new Harness(
                    "test",
                    List.of(
                            "sh",
                            "-c",
                            "cat > prompt.txt && printf '%s\\n' \"$@\" > arguments.txt && cat prompt.txt arguments.txt",
                            "test",
                            ARGUMENTS),
                    null));

    public Harness {
        command = List.copyOf(command);
    }

    /** The command of an agent. */
    List<String> command(Values values, List<String> arguments) {
        List<String> all = new ArrayList<>();
        for (String element : command) {
            if (element.equals(ARGUMENTS)) {
                all.addAll(arguments);
            } else {
                all.add(values.in(element));
            }
        }
        return all;
    }

    /** What stands for the names in the elements. */
    record Values(String prompt, String promptFile, String argumentsFile, String repository) {

        /** From left to right, so that a prompt may hold the names. */
        String in(String element) {
            StringBuilder text = new StringBuilder();
            int from = 0;
            for (int open = element.indexOf('{'); open >= 0; open = element.indexOf('{', open + 1)) {
                int close = element.indexOf('}', open);
                String value = close < 0 ? null : of(element.substring(open + 1, close));
                if (value != null) {
                    text.append(element, from, open).append(value);
                    from = close + 1;
                }
            }
            return text.append(element, from, element.length()).toString();
        }

        private @Nullable String of(String name) {
            return switch (name) {
                case "prompt" -> prompt;
                case "prompt_file" -> promptFile;
                case "arguments_file" -> argumentsFile;
                case "repository" -> repository;
                default -> null;
            };
        }
    }
}
