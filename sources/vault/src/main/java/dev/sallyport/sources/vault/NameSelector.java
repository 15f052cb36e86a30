package dev.sallyport.sources.vault;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.spi.SecretException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Chooses by name: an exact match first, then a match ignoring case. Never chooses among several. */
record NameSelector(List<JsonNode> candidates) {

    static NameSelector among(Iterable<JsonNode> nodes, Predicate<JsonNode> eligible) {
        List<JsonNode> candidates = new ArrayList<>();
        for (JsonNode node : nodes) {
            if (eligible.test(node)) {
                candidates.add(node);
            }
        }
        return new NameSelector(candidates);
    }

    /** The element with this name; null when there is none. */
    @Nullable JsonNode named(String name, Function<JsonNode, String> nameOf, String noun) throws SecretException {
        return matching(
                node -> nameOf.apply(node).equals(name),
                node -> nameOf.apply(node).equalsIgnoreCase(name),
                name,
                noun);
    }

    /** The exact match, otherwise the one ignoring case; null when there is none. */
    @Nullable JsonNode matching(Predicate<JsonNode> exactly, Predicate<JsonNode> roughly, String name, String noun)
            throws SecretException {
        JsonNode exact = single(exactly, name, noun);
        return exact != null ? exact : single(roughly, name, noun);
    }

    private @Nullable JsonNode single(Predicate<JsonNode> fits, String name, String noun) throws SecretException {
        List<JsonNode> fitting = candidates.stream().filter(fits).toList();
        if (fitting.size() > 1) {
            throw new SecretException("there are " + fitting.size() + " " + noun + "s \"" + name
                    + "\" (expected: one, or the id of one)");
        }
        return fitting.isEmpty() ? null : fitting.getFirst();
    }
}
