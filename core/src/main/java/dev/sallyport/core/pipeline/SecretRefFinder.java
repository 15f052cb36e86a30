package dev.sallyport.core.pipeline;

import dev.sallyport.spi.Rule;
import dev.sallyport.spi.SecretRef;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds the secret references in a config record, so that all that cannot be resolved are reported at once. */
public final class SecretRefFinder {

    /**
     * Accessors of the components of a record in which a reference may stand; a rule, of which there are thousands, has
     * none.
     */
    private static final ClassValue<List<Method>> HOLDING = new ClassValue<>() {
        @Override
        protected List<Method> computeValue(Class<?> type) {
            return Arrays.stream(type.getRecordComponents())
                    .filter(component -> mayHold(component.getGenericType(), new HashSet<>()))
                    .map(RecordComponent::getAccessor)
                    .peek(accessor -> accessor.setAccessible(true))
                    .toList();
        }
    };

    private SecretRefFinder() {}

    /** The references in the record, in its nested records, and in their lists and maps, in order. */
    public static List<SecretRef> in(Record config) {
        List<SecretRef> found = new ArrayList<>();
        collect(config, found);
        return found;
    }

    private static void collect(@Nullable Object value, List<SecretRef> found) {
        if (value instanceof SecretRef ref) {
            found.add(ref);
        } else if (value instanceof Collection<?> list) {
            list.forEach(element -> collect(element, found));
        } else if (value instanceof Map<?, ?> map) {
            map.values().forEach(element -> collect(element, found));
        } else if (value instanceof Record record) {
            components(record, found);
        }
    }

    private static void components(Record record, List<SecretRef> found) {
        values(record).forEach(value -> collect(value, found));
    }

    /** The values of the components in which a reference may stand. */
    static List<@Nullable Object> values(Record record) {
        List<@Nullable Object> values = new ArrayList<>();
        for (Method accessor : HOLDING.get(record.getClass())) {
            values.add(read(accessor, record));
        }
        return values;
    }

    static @Nullable Object read(Method accessor, Record record) {
        try {
            return accessor.invoke(record);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("config record " + record.getClass().getName() + " cannot be read", e);
        }
    }

    /**
     * Whether a value of this type may be or hold a reference; true in doubt. A type that contains itself adds nothing.
     */
    private static boolean mayHold(Type type, Set<Type> within) {
        if (type instanceof ParameterizedType generic) {
            return Arrays.stream(generic.getActualTypeArguments()).anyMatch(argument -> mayHold(argument, within));
        }
        if (!(type instanceof Class<?> plain)) {
            return true;
        }
        if (plain.isRecord()) {
            return within.add(plain)
                    && Arrays.stream(plain.getRecordComponents())
                            .anyMatch(component -> mayHold(component.getGenericType(), within));
        }
        return !plain.isPrimitive() && !plain.isEnum() && plain != String.class && plain != Rule.class;
    }
}
