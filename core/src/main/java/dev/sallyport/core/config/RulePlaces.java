package dev.sallyport.core.config;

import dev.sallyport.spi.Rule;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where the rules of a plug-in's configuration stand in it. A rule that a plug-in has made of a text in a list, such as
 * a domain, stands where that text does. Immutable.
 */
public final class RulePlaces {

    private final IdentityHashMap<Rule, String> rules = new IdentityHashMap<>();
    private final Map<String, String> texts = new HashMap<>();

    private RulePlaces() {}

    /** The places in a configuration. One that is not bound from a file has none. */
    public static RulePlaces in(Record config) {
        RulePlaces places = new RulePlaces();
        places.record(config, "");
        return places;
    }

    /** The JSON pointer of a rule, relative to the configuration; null when it is not known. */
    public @Nullable String of(Rule rule) {
        String itself = rules.get(rule);
        if (itself != null) {
            return itself;
        }
        String host = rule.host();
        return texts.get(host == null ? String.valueOf(rule.cidr()) : host);
    }

    /** The JSON pointers of the rules that list protocols for a switch, in order. */
    List<String> ofUpgrades() {
        return rules.entrySet().stream()
                .filter(entry -> !entry.getKey().upgrade().isEmpty())
                .map(Map.Entry::getValue)
                .sorted()
                .toList();
    }

    private void record(Record record, String pointer) {
        List<String> keys;
        try {
            keys = new ArrayList<>(RecordShape.of(record.getClass()).keys());
        } catch (IllegalArgumentException e) {
            return; // no configuration can be bound to it
        }
        RecordComponent[] components = record.getClass().getRecordComponents();
        for (int i = 0; i < components.length; i++) {
            value(read(components[i].getAccessor(), record), Pointers.child(pointer, keys.get(i)), false);
        }
    }

    private void value(@Nullable Object value, String pointer, boolean listed) {
        switch (value) {
            case null -> {}
            case Rule rule -> rules.putIfAbsent(rule, pointer);
            case Record record -> record(record, pointer);
            case List<?> list -> {
                for (int i = 0; i < list.size(); i++) {
                    value(list.get(i), Pointers.child(pointer, i), true);
                }
            }
            case Map<?, ?> map ->
                map.forEach((key, element) -> value(element, Pointers.child(pointer, String.valueOf(key)), false));
            case String text -> {
                if (listed) {
                    texts.putIfAbsent(text, pointer);
                }
            }
            default -> {}
        }
    }

    private static @Nullable Object read(Method accessor, Record record) {
        try {
            accessor.setAccessible(true);
            return accessor.invoke(record);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("config record " + record.getClass().getName() + " cannot be read", e);
        }
    }
}
