package dev.sallyport.core.config;

import dev.sallyport.spi.Problems;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Tells of TCP listeners that would take each other's address. For one configuration and one thread. */
final class ListenerClashes {

    private final Map<String, ListenAddress> taken = new LinkedHashMap<>();
    private final Predicate<String> known;

    /** @param known whether what stands at a pointer could be bound: of what could not, nothing is said */
    ListenerClashes(Predicate<String> known) {
        this.known = known;
    }

    /**
     * Takes an address, and reports when another listener has it.
     *
     * @param pointer JSON pointer of the whole configuration
     * @param address null: the listener is switched off
     * @param problems hears of pointers of the whole configuration
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
