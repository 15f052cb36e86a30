package dev.sallyport.control.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.JsonNode;
import com.google.re2j.Pattern;
import dev.sallyport.control.model.Limits;
import dev.sallyport.control.model.OnlyWhen;
import dev.sallyport.control.model.ServerOwned;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How a record stands in JSON: the one description from which bodies are bound and documents are made.
 *
 * @param fields by key, in the order of the components; those of a component that is unwrapped are in its place
 * @param unwrapped the shapes of components whose fields stand beside the others, by their places
 * @param ignored keys that clients may send, and that are not read
 */
record Shape(
        Class<?> type,
        Constructor<?> constructor,
        Map<String, Field> fields,
        Map<Integer, Shape> unwrapped,
        Set<String> ignored) {

    private static final ClassValue<Shape> KNOWN = new ClassValue<>() {
        @Override
        protected Shape computeValue(Class<?> type) {
            return read(type);
        }
    };

    /** What a value may be. */
    sealed interface Kind {

        /** In words. */
        String expected();

        /** A string. */
        record Text() implements Kind {
            @Override
            public String expected() {
                return "a string";
            }
        }

        /** A number of 32 bits, or of 64. */
        record Whole(boolean wide) implements Kind {
            @Override
            public String expected() {
                return "an integer";
            }
        }

        /** True or false. */
        record Flag() implements Kind {
            @Override
            public String expected() {
                return "true or false";
            }
        }

        /** A time. */
        record Moment() implements Kind {
            @Override
            public String expected() {
                return "a time such as 2026-01-02T03:04:05Z";
            }
        }

        /** One of some words. */
        record Choice(Map<String, Object> constants) implements Kind {
            @Override
            public String expected() {
                return String.join(" or ", constants.keySet());
            }
        }

        /** A list. */
        record Many(Kind element) implements Kind {
            @Override
            public String expected() {
                return "a list";
            }
        }

        /** An object. */
        record Block(Class<?> type) implements Kind {
            @Override
            public String expected() {
                return "an object";
            }
        }

        /** Anything. */
        record Any() implements Kind {
            @Override
            public String expected() {
                return "a value";
            }
        }
    }

    /**
     * A component.
     *
     * @param nullable whether it is null when absent
     * @param pattern what a text must match, or null
     */
    record Field(
            String key,
            Kind kind,
            boolean nullable,
            @Nullable Limits limits,
            @Nullable Pattern pattern,
            @Nullable OnlyWhen onlyWhen) {

        /** Whether a body must have it: lists are empty when absent. */
        boolean required() {
            return !nullable && !(kind instanceof Kind.Many);
        }
    }

    /** The shape of a record. From any thread. */
    static Shape of(Class<?> type) {
        return KNOWN.get(type);
    }

    private static Shape read(Class<?> type) {
        if (!type.isRecord()) {
            throw new IllegalArgumentException(type + " (expected: a record)");
        }
        Map<String, Field> fields = new LinkedHashMap<>();
        Map<Integer, Shape> unwrapped = new HashMap<>();
        RecordComponent[] components = type.getRecordComponents();
        for (int i = 0; i < components.length; i++) {
            if (ofField(type, components[i]).isAnnotationPresent(JsonUnwrapped.class)) {
                Shape inner = read(components[i].getType());
                unwrapped.put(i, inner);
                fields.putAll(inner.fields());
            } else {
                Field field = field(type, components[i]);
                fields.put(field.key(), field);
            }
        }
        ServerOwned owned = type.getAnnotation(ServerOwned.class);
        return new Shape(type, constructor(type), fields, unwrapped, owned == null ? Set.of() : Set.of(owned.value()));
    }

    private static Constructor<?> constructor(Class<?> type) {
        Class<?>[] types = Arrays.stream(type.getRecordComponents())
                .map(RecordComponent::getType)
                .toArray(Class<?>[]::new);
        try {
            Constructor<?> constructor = type.getDeclaredConstructor(types);
            constructor.setAccessible(true);
            return constructor;
        } catch (NoSuchMethodException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static Field field(Class<?> type, RecordComponent component) {
        Limits limits = component.getAnnotation(Limits.class);
        boolean nullable = !component.getType().isPrimitive()
                && Arrays.stream(component.getAnnotatedType().getAnnotations())
                        .map(Annotation::annotationType)
                        .anyMatch(Nullable.class::equals);
        return new Field(
                key(type, component),
                kind(component.getGenericType()),
                nullable,
                limits,
                limits == null || limits.pattern().isEmpty() ? null : Pattern.compile(limits.pattern()),
                component.getAnnotation(OnlyWhen.class));
    }

    private static String key(Class<?> type, RecordComponent component) {
        JsonProperty property = ofField(type, component).getAnnotation(JsonProperty.class);
        return property == null || property.value().isEmpty()
                ? component.getName().replaceAll("([a-z0-9])([A-Z])", "$1_$2").toLowerCase(Locale.ROOT)
                : property.value();
    }

    /** Jackson's annotations of a component are found on its field. */
    private static AnnotatedElement ofField(Class<?> type, RecordComponent component) {
        try {
            return type.getDeclaredField(component.getName());
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Kind kind(Type type) {
        if (type instanceof ParameterizedType parameterized && parameterized.getRawType() == List.class) {
            return new Kind.Many(kind(parameterized.getActualTypeArguments()[0]));
        }
        if (type instanceof Class<?> raw) {
            if (raw == String.class) {
                return new Kind.Text();
            }
            if (raw == int.class || raw == Integer.class) {
                return new Kind.Whole(false);
            }
            if (raw == long.class || raw == Long.class) {
                return new Kind.Whole(true);
            }
            if (raw == boolean.class || raw == Boolean.class) {
                return new Kind.Flag();
            }
            if (raw == Instant.class) {
                return new Kind.Moment();
            }
            if (raw == JsonNode.class) {
                return new Kind.Any();
            }
            if (raw.isEnum()) {
                return choice(raw);
            }
            if (raw.isRecord()) {
                return new Kind.Block(raw);
            }
        }
        throw new IllegalArgumentException(type.getTypeName() + " (expected: a type that JSON can be bound to)");
    }

    private static Kind choice(Class<?> type) {
        Map<String, Object> constants = new LinkedHashMap<>();
        for (Object constant : type.getEnumConstants()) {
            constants.put(((Enum<?>) constant).name().toLowerCase(Locale.ROOT), constant);
        }
        return new Kind.Choice(constants);
    }

    /** Makes the record; see {@link #fields} for the order. */
    Object create(@Nullable Object[] values) {
        @Nullable Object[] components = new @Nullable Object[constructor.getParameterCount()];
        int at = 0;
        for (int i = 0; i < components.length; i++) {
            Shape inner = unwrapped.get(i);
            int end = at + (inner == null ? 1 : inner.fields().size());
            components[i] = inner == null ? values[at] : inner.create(Arrays.copyOfRange(values, at, end));
            at = end;
        }
        try {
            return constructor.newInstance(components);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException(type + " cannot be made", e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
