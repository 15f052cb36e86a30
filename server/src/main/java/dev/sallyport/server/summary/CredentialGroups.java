package dev.sallyport.server.summary;

import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.SecretRef;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which secrets of a transform go where: those in a record go where the {@code rules} of that record say, or of the
 * nearest one around it. Pure functions.
 */
final class CredentialGroups {

    /**
     * Secrets that go to the same destinations.
     *
     * @param refs none for a credential that comes from elsewhere, such as a key file
     * @param rules empty for every destination
     */
    record Group(List<SecretRef> refs, List<Rule> rules) {}

    private CredentialGroups() {}

    static List<Group> of(TransformEntry<?> entry) {
        List<Group> groups = new ArrayList<>();
        List<Rule> scope = entry.capabilities().effectScope();
        Group around = new Group(new ArrayList<>(), scope);
        groups.add(around);
        record(entry.config(), around, groups);
        groups.removeIf(group -> group.refs().isEmpty());
        return groups.isEmpty() ? List.of(new Group(List.of(), scope)) : groups;
    }

    private static void record(Record record, Group around, List<Group> groups) {
        Map<String, Object> parts = RecordParts.of(record);
        Group own = around;
        List<Rule> rules = rules(parts.get("rules"));
        if (rules != null) {
            own = new Group(new ArrayList<>(), rules);
            groups.add(own);
        }
        for (Object part : parts.values()) {
            visit(part, own, groups);
        }
    }

    private static void visit(Object value, Group group, List<Group> groups) {
        switch (value) {
            case SecretRef ref -> group.refs().add(ref);
            case Record record -> record(record, group, groups);
            case Collection<?> list -> list.forEach(item -> visit(item, group, groups));
            case Map<?, ?> map -> map.values().forEach(item -> visit(item, group, groups));
            default -> {}
        }
    }

    private static @Nullable List<Rule> rules(@Nullable Object value) {
        if (!(value instanceof List<?> list) || !list.stream().allMatch(Rule.class::isInstance)) {
            return null;
        }
        return list.stream().map(Rule.class::cast).toList();
    }
}
