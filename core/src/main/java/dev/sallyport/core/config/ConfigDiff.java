package dev.sallyport.core.config;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Tells what a reload would change. */
public final class ConfigDiff {

    private ConfigDiff() {}

    /**
     * JSON pointers of the fields with different values, in the order of the sections. Lists are compared as a whole; a
     * section that only one side has is named itself. The pipeline ({@code transforms} and the sections of plug-ins) is
     * left out.
     */
    public static List<String> changed(ProxyConfig running, ProxyConfig next) {
        List<String> pointers = new ArrayList<>();
        compare(running.dns(), next.dns(), "/dns", pointers);
        compare(running.proxy(), next.proxy(), "/proxy", pointers);
        compare(running.tls(), next.tls(), "/tls", pointers);
        compare(running.management(), next.management(), "/management", pointers);
        compare(running.metrics(), next.metrics(), "/metrics", pointers);
        compare(running.log(), next.log(), "/log", pointers);
        return List.copyOf(pointers);
    }

    private static void compare(@Nullable Object one, @Nullable Object other, String pointer, List<String> pointers) {
        if (Objects.equals(one, other)) {
            return;
        }
        if (one == null || other == null || !(one instanceof Record) || isValue(one)) {
            pointers.add(pointer);
            return;
        }
        for (RecordComponent component : one.getClass().getRecordComponents()) {
            String key = RecordShape.snakeCase(component.getName());
            compare(read(component, one), read(component, other), Pointers.child(pointer, key), pointers);
        }
    }

    /** Whether a record is one value of the configuration, such as an address. */
    private static boolean isValue(Object bound) {
        return ScalarKind.of(bound.getClass()) != null;
    }

    private static @Nullable Object read(RecordComponent component, Object from) {
        try {
            return component.getAccessor().invoke(from);
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException(e);
        }
    }
}
