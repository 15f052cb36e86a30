package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.SecretValue;
import dev.sallyport.spi.Trace;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Which secrets, or their placeholders, went where in one exchange. Names and fingerprints, no value. */
final class UsageAnnotation {

    static final String SWAPPED = "swapped";
    static final String INJECTED = "injected";
    static final String NOT_INJECTED = "injection_skipped";
    static final String MISDIRECTED = "placeholder_misdirected";

    private final String key;
    private final Map<Used, Set<String>> locations = new LinkedHashMap<>(4);
    private boolean fresh;

    /** @param fingerprint of the value; empty where there is none */
    private record Used(String secret, String fingerprint) {}

    /** @param key of the annotation */
    UsageAnnotation(String key) {
        this.key = key;
    }

    /** Notes a placeholder whose value is not used; noting it again changes nothing. */
    void add(String secret, String location) {
        add(new Used(secret, ""), location);
    }

    /** Notes a use; noting it again changes nothing. */
    void add(String secret, SecretValue value, String location) {
        add(new Used(secret, value.fingerprint()), location);
    }

    private void add(Used used, String location) {
        fresh |= locations.computeIfAbsent(used, key -> new LinkedHashSet<>(4)).add(location);
    }

    /**
     * Writes the annotation if there is something new: {@code [{secret: <source name>, fingerprint, locations:
     * [...]}]}, the fingerprint where there is an audit key.
     */
    void annotate(Trace trace) {
        if (!fresh) {
            return;
        }
        fresh = false;
        List<Map<String, Object>> list = new ArrayList<>(locations.size());
        locations.forEach((used, where) -> {
            Map<String, Object> use = new LinkedHashMap<>(4);
            use.put("secret", used.secret);
            if (!used.fingerprint.isEmpty()) {
                use.put("fingerprint", used.fingerprint);
            }
            use.put("locations", List.copyOf(where));
            list.add(use);
        });
        trace.annotate(key, list);
    }
}
