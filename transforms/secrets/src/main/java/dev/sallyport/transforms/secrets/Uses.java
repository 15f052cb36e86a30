package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.Trace;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Which secrets went where, for one exchange. Names only. */
final class Uses {

    private final Map<String, Set<String>> locations = new LinkedHashMap<>(4);

    /** Notes a use; false when it had been noted before. */
    boolean add(String secret, String location) {
        return locations.computeIfAbsent(secret, name -> new LinkedHashSet<>(4)).add(location);
    }

    /** The names of the secrets. */
    Set<String> secrets() {
        return locations.keySet();
    }

    boolean isEmpty() {
        return locations.isEmpty();
    }

    /** Writes the annotation: {@code [{secret: <source name>, locations: [...]}]}. */
    void annotate(Trace trace, String key) {
        List<Map<String, Object>> list = new ArrayList<>(locations.size());
        locations.forEach((secret, where) -> {
            Map<String, Object> use = new LinkedHashMap<>(4);
            use.put("secret", secret);
            use.put("locations", List.copyOf(where));
            list.add(use);
        });
        trace.annotate(key, list);
    }
}
