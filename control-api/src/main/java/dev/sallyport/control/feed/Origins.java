package dev.sallyport.control.feed;

import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which policies the elements of a pipeline's lists come from. Not thread-safe while it is filled.
 *
 * @param lists by the JSON pointer of the list: from which element on the elements are of which policy; empty for none
 *     alone
 */
record Origins(Map<String, NavigableMap<Integer, String>> lists) {

    Origins() {
        this(new HashMap<>());
    }

    /** From this element on, the elements of a list come from a policy; empty for none alone. */
    void from(String list, int element, String policy) {
        lists.computeIfAbsent(list, any -> new TreeMap<>()).put(element, policy);
    }

    /** The policy that a place comes from; null when it is none alone. */
    @Nullable String of(String pointer) {
        for (Map.Entry<String, NavigableMap<Integer, String>> list : lists.entrySet()) {
            String before = list.getKey() + "/";
            if (pointer.startsWith(before)) {
                int end = pointer.indexOf('/', before.length());
                String element = pointer.substring(before.length(), end < 0 ? pointer.length() : end);
                if (!element.matches("[0-9]{1,9}")) {
                    return null;
                }
                Map.Entry<Integer, String> origin = list.getValue().floorEntry(Integer.parseInt(element));
                return origin == null || origin.getValue().isEmpty() ? null : origin.getValue();
            }
        }
        return null;
    }
}
