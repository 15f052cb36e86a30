package dev.sallyport.server.summary;

import java.util.List;

/** Lists of names in sentences. Pure functions. */
public final class Shortened {

    private Shortened() {}

    /** {@code a}; {@code a and b}; {@code a, b and c}; of more than {@code most}, how many more there are. */
    public static String list(List<String> names, int most) {
        int size = names.size();
        if (size <= 1) {
            return String.join("", names);
        }
        if (size <= most) {
            return String.join(", ", names.subList(0, size - 1)) + " and " + names.getLast();
        }
        return String.join(", ", names.subList(0, most)) + " and " + (size - most) + " more";
    }
}
