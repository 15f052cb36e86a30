package dev.sallyport.sandbox;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A program that is run inside a VM, as its root, with the variables of a login shell. Values of secrets are none of it.
 *
 * @param command the program and its arguments, which no shell reads; the program is found in the guest's usual folders
 * @param files written into {@link TaskName#folder} before, by name; only root can read them
 * @param input which of the files the program reads as its standard input; null for none
 * @param limit how long it may run; then it is asked to end, and killed ten seconds later; whole seconds, at least one
 */
public record GuestTask(
        List<String> command,
        Map<String, String> files,
        @Nullable String input,
        Duration limit) {

    /** The most that command and files are together, in bytes of UTF-8. */
    public static final int LARGEST = 200 * 1024;

    private static final Pattern FILE = Pattern.compile("[a-z][a-z0-9-]{0,31}");
    private static final int MOST_ARGUMENTS = 1024;

    /**
     * Checks the forms.
     *
     * @throws IllegalArgumentException when one is another
     */
    public GuestTask {
        command = List.copyOf(command);
        files = Map.copyOf(files);
        if (command.isEmpty() || command.getFirst().isEmpty() || command.size() > MOST_ARGUMENTS) {
            throw new IllegalArgumentException("command is none (expected: a program, and less than 1024 arguments)");
        }
        if (command.stream().anyMatch(argument -> argument.indexOf('\0') >= 0)) {
            throw new IllegalArgumentException("an argument has a NUL");
        }
        if (!files.keySet().stream().allMatch(name -> FILE.matcher(name).matches())) {
            throw new IllegalArgumentException("the name of a file is none (expected: 1 to 32 of a-z, 0-9, '-')");
        }
        if (input != null && !files.containsKey(input)) {
            throw new IllegalArgumentException("input is none of the files");
        }
        if (limit.toSeconds() < 1) {
            throw new IllegalArgumentException("limit is too short (expected: a second at least)");
        }
        long size = Stream.concat(command.stream(), files.values().stream())
                .mapToLong(text -> text.getBytes(StandardCharsets.UTF_8).length)
                .sum();
        if (size > LARGEST) {
            throw new IllegalArgumentException("command and files have more than " + LARGEST + " bytes");
        }
    }

    /** Without files and input. */
    public GuestTask(List<String> command, Duration limit) {
        this(command, Map.of(), null, limit);
    }

    /** Without the texts: those are a user's. */
    @Override
    public String toString() {
        return "GuestTask[" + command.getFirst() + ", files=" + files.keySet() + "]";
    }
}
