package dev.sallyport.sandbox;

import java.util.regex.Pattern;

/**
 * The name of a task in a VM: 1 to 32 of {@code a-z}, {@code 0-9} and {@code -}, beginning with a letter.
 *
 * @param value the name
 */
public record TaskName(String value) implements Comparable<TaskName> {

    private static final Pattern FORM = Pattern.compile("[a-z][a-z0-9-]{0,31}");

    /**
     * Checks the form.
     *
     * @throws IllegalArgumentException when it is another
     */
    public TaskName {
        if (!FORM.matcher(value).matches()) {
            throw new IllegalArgumentException("not the name of a task (expected: 1 to 32 of a-z, 0-9, '-')");
        }
    }

    /** The folder of the task's files, as the guest sees it. It ends with the run of the VM, and is part of no snapshot. */
    public String folder() {
        return "/run/sallyport/tasks/" + value;
    }

    @Override
    public int compareTo(TaskName other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
