package dev.sallyport.core.config;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Reports what a reload would change. */
public final class ConfigDiff {

    private ConfigDiff() {}

    /**
     * JSON pointers of the fields with different values, in the order of the sections. Lists are compared as a whole; a
     * section that only one side has is named itself. The pipeline ({@code transforms} and the sections of transforms)
     * is left out.
     */
    public static List<String> changed(ProxyConfig running, ProxyConfig next) {
        List<String> pointers = new ArrayList<>();
        compare(running.dns(), next.dns(), "/dns", pointers);
        compare(running.proxy(), next.proxy(), "/proxy", pointers);
        compare(running.tls(), next.tls(), "/tls", pointers);
        compare(running.management(), next.management(), "/management", pointers);
        compare(running.metrics(), next.metrics(), "/metrics", pointers);
        compare(running.log(), next.log(), "/log", pointers);
        Map<String, Record> before = companions(running);
        Map<String, Record> after = companions(next);
        Set<String> names = new TreeSet<>(before.keySet());
        names.addAll(after.keySet());
        names.forEach(name -> compare(before.get(name), after.get(name), Pointers.child("", name), pointers));
        return List.copyOf(pointers);
    }

    private static Map<String, Record> companions(ProxyConfig config) {
        Map<String, Record> companions = new TreeMap<>();
        config.companions().forEach(companion -> companions.put(companion.name(), companion.config()));
        return companions;
    }

    private static void compare(@Nullable Object one, @Nullable Object other, String pointer, List<String> pointers) {
        if (Objects.equals(one, other)) {
            return;
        }
        if (one == null || other == null || !(one instanceof Record record) || isValue(one)) {
            pointers.add(pointer);
            return;
        }
        Iterator<String> keys = RecordShape.of(record.getClass()).keys().iterator();
        for (RecordComponent component : record.getClass().getRecordComponents()) {
            String below = Pointers.child(pointer, keys.next());
            compare(read(component, one), read(component, other), below, pointers);
        }
    }

    /** Whether a record is one value of the configuration, such as an address. */
    private static boolean isValue(Object bound) {
        return ScalarKind.of(bound.getClass()) != null;
    }

    private static @Nullable Object read(RecordComponent component, Object from) {
        Method accessor = component.getAccessor();
        accessor.setAccessible(true); // Reads a component of a plug-in's record, which need not be public.
        try {
            return accessor.invoke(from);
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException(e);
        }
    }
}
