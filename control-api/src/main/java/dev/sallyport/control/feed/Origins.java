package dev.sallyport.control.feed;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which policies the elements of a pipeline's lists come from. Not thread-safe while it is filled.
 *
 * @param lists by the JSON pointer of the list: the policy of each element, the last also of all that follow; empty for none
 *     alone
 */
record Origins(Map<String, List<String>> lists) {

    Origins() {
        this(new HashMap<>());
    }

    /** From this element on, the elements of a list come from a policy; empty for none alone. They come in their order. */
    void from(String list, int element, String policy) {
        List<String> policies = lists.computeIfAbsent(list, any -> new ArrayList<>());
        while (policies.size() <= element) {
            policies.add(policies.isEmpty() ? "" : policies.getLast());
        }
        policies.set(element, policy);
    }

    /** The policy that a place comes from; null when it is none alone. */
    @Nullable String of(String pointer) {
        for (Map.Entry<String, List<String>> list : lists.entrySet()) {
            String before = list.getKey() + "/";
            if (pointer.startsWith(before)) {
                int end = pointer.indexOf('/', before.length());
                String element = pointer.substring(before.length(), end < 0 ? pointer.length() : end);
                if (!element.matches("[0-9]{1,9}")) {
                    return null;
                }
                List<String> policies = list.getValue();
                String policy = policies.get(Math.min(Integer.parseInt(element), policies.size() - 1));
                return policy.isEmpty() ? null : policy;
            }
        }
        return null;
    }
}
