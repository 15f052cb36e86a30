package dev.sallyport.spi;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A read-only view of header or trailer fields in wire order (RFC 9110, 5). Names keep the casing in which they came;
 * look-ups ignore case. Hop-by-hop fields are removed before a transform sees the message. Implemented by the engine
 * and the test kit.
 */
public interface Headers {

    /** The number of field lines. */
    int size();

    /** The name of line {@code index}, as on the wire. */
    String name(int index);

    /** The value of line {@code index}, without surrounding white space. */
    String value(int index);

    /** The value of the first line of this name, or null when there is none. */
    @Nullable String first(String name);

    /** Whether a line of this name exists. */
    default boolean contains(String name) {
        return first(name) != null;
    }

    /** The values of all lines of this name, in order. */
    default List<String> all(String name) {
        List<String> values = new ArrayList<>(1);
        for (int i = 0; i < size(); i++) {
            if (name(i).equalsIgnoreCase(name)) {
                values.add(value(i));
            }
        }
        return values;
    }
}
