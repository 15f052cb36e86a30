package dev.sallyport.core.pipeline;

import dev.sallyport.spi.SecretRef;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds the secret references in a config record, so that all that cannot be resolved are told at once. */
final class SecretRefs {

    private SecretRefs() {}

    /** The references in the record, the records in it, and their lists and maps, in order. */
    static List<SecretRef> in(Record config) {
        List<SecretRef> found = new ArrayList<>();
        collect(config, found);
        return found;
    }

    private static void collect(@Nullable Object value, List<SecretRef> found) {
        switch (value) {
            case SecretRef ref -> found.add(ref);
            case Collection<?> list -> list.forEach(element -> collect(element, found));
            case Map<?, ?> map -> map.values().forEach(element -> collect(element, found));
            case Record record -> components(record, found);
            case null, default -> {}
        }
    }

    private static void components(Record record, List<SecretRef> found) {
        for (RecordComponent component : record.getClass().getRecordComponents()) {
            try {
                var accessor = component.getAccessor();
                accessor.setAccessible(true);
                collect(accessor.invoke(record), found);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(
                        "config record " + record.getClass().getName() + " cannot be read", e);
            }
        }
    }
}
