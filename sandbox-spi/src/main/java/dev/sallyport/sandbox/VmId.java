package dev.sallyport.sandbox;

import java.util.regex.Pattern;

/**
 * The identity of a VM: {@code vm_} and 26 lower-case letters or digits. Nothing else reaches a driver, so that a driver may
 * use it in the names of files and of kernel objects.
 *
 * @param value the whole id
 */
public record VmId(String value) implements Comparable<VmId> {

    private static final Pattern FORM = Pattern.compile("vm_[a-z0-9]{26}");

    /**
     * Checks the form.
     *
     * @throws IllegalArgumentException when it is another
     */
    public VmId {
        if (!isValid(value)) {
            throw new IllegalArgumentException("not the id of a VM (expected: vm_ and 26 of a-z, 0-9)");
        }
    }

    /** Whether it has the form of an id. */
    public static boolean isValid(String value) {
        return FORM.matcher(value).matches();
    }

    @Override
    public int compareTo(VmId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
