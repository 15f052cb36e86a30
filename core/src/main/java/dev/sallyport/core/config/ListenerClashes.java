package dev.sallyport.core.config;

import dev.sallyport.spi.Problems;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Reports TCP listeners with conflicting addresses. For one configuration and one thread. */
final class ListenerClashes {

    private final Map<String, ListenAddress> taken = new LinkedHashMap<>();
    private final Predicate<String> known;

    /** @param known whether the value at a pointer could be bound; others are not reported */
    ListenerClashes(Predicate<String> known) {
        this.known = known;
    }

    /**
     * Registers an address, and reports a conflict with another listener.
     *
     * @param pointer JSON pointer in the whole configuration
     * @param address null when the listener is off
     * @param problems receives problems with pointers in the whole configuration
     */
    void take(String pointer, @Nullable ListenAddress address, Problems problems) {
        if (address == null || !known.test(pointer)) {
            return;
        }
        taken.forEach((other, earlier) -> {
            if (address.collidesWith(earlier)) {
                problems.add(pointer, "the address is taken by " + other, "another port");
            }
        });
        taken.put(pointer, address);
    }
}
