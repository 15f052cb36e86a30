package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.Trace;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Which secrets, or their placeholders, went where in one exchange. Names only. */
final class Uses {

    static final String SWAPPED = "swapped";
    static final String INJECTED = "injected";
    static final String MISDIRECTED = "placeholder_misdirected";

    private final String key;
    private final Map<String, Set<String>> locations = new LinkedHashMap<>(4);
    private boolean fresh;

    /** @param key of the annotation */
    Uses(String key) {
        this.key = key;
    }

    /** Notes a use; noting it again changes nothing. */
    void add(String secret, String location) {
        fresh |= locations
                .computeIfAbsent(secret, name -> new LinkedHashSet<>(4))
                .add(location);
    }

    /** The names of the secrets. */
    Set<String> secrets() {
        return locations.keySet();
    }

    /** Writes the annotation if there is something new: {@code [{secret: <source name>, locations: [...]}]}. */
    void annotate(Trace trace) {
        if (!fresh) {
            return;
        }
        fresh = false;
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
