package dev.sallyport.core.config;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.NoSecret;
import java.lang.annotation.Annotation;
import java.lang.reflect.Constructor;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How a record is written in the configuration.
 *
 * @param constructor makes the record
 * @param fields by key, in the order of the components
 */
record RecordShape(Constructor<? extends Record> constructor, Map<String, Field> fields) {

    /** The keys of texts that may be secrets. */
    static final Pattern SENSITIVE = Pattern.compile(
            "(^|_)(password|passphrase|secret|token|key|credential|credentials|authorization|headers?|value)s?(_|$)");

    /**
     * One component.
     *
     * @param key its key in the configuration
     * @param required whether it must be given
     * @param defaultText its default as it would stand in an environment variable; empty for none
     * @param nullable whether it is null when it is not given and has no default
     * @param range its bounds, or null
     * @param sensitive whether its value may be a secret, and is not to be shown
     * @param noSecret whether it is declared never to be one, see {@link NoSecret}
     */
    record Field(
            String key,
            BindingKind kind,
            boolean required,
            String defaultText,
            String description,
            boolean nullable,
            @Nullable Range range,
            boolean sensitive,
            boolean noSecret) {

        /** The expected value. */
        String expected() {
            return mayBeDisabled() ? kind.expected() + ", or " + ScalarKind.DISABLED : kind.expected();
        }

        boolean mayBeDisabled() {
            return kind == ScalarKind.LISTEN && nullable;
        }

        /** Whether there is a value when none is given. */
        boolean hasAbsentValue() {
            return required
                    || nullable
                    || !defaultText.isEmpty()
                    || kind == ScalarKind.BOOLEAN
                    || kind == ScalarKind.TEXT
                    || kind instanceof BindingKind.Many
                    || kind instanceof BindingKind.Named
                    || kind instanceof BindingKind.Block;
        }

        Field asSensitive() {
            return new Field(key, kind, required, defaultText, description, nullable, range, true, noSecret);
        }
    }

    /** Records are inspected once, because reflection over their annotations takes a considerable part of a start. */
    private static final ClassValue<RecordShape> KNOWN = new ClassValue<>() {
        @Override
        protected RecordShape computeValue(Class<?> type) {
            return read(type.asSubclass(Record.class));
        }
    };

    /**
     * The shape of a record. From any thread.
     *
     * @throws IllegalArgumentException when configuration cannot be bound to it: an error of its author
     */
    static RecordShape of(Class<? extends Record> type) {
        return KNOWN.get(type);
    }

    /** Makes sure that configuration can be bound to a record and to all that it holds; throws as {@link #of}. */
    static void verify(Class<? extends Record> type) {
        verify(type, kind -> true, new HashSet<>());
    }

    /** As {@link #verify}, for a section for which nobody resolves secrets or makes transforms: it cannot hold any. */
    static void verifyPlain(Class<? extends Record> type) {
        verify(
                type,
                kind -> !(kind instanceof BindingKind.Reference) && !(kind instanceof BindingKind.Entry),
                new HashSet<>());
    }

    private static void verify(Class<? extends Record> type, Predicate<BindingKind> allowed, Set<Class<?>> seen) {
        if (!seen.add(type)) {
            return;
        }
        for (Field field : of(type).fields().values()) {
            BindingKind kind = field.kind().innermost();
            if (!allowed.test(kind)) {
                throw new IllegalArgumentException(type.getName() + ": " + field.key() + ": not in this section: "
                        + kind.expected() + " (expected: no such component)");
            }
            if (kind instanceof BindingKind.Block block) {
                verify(block.type(), allowed, seen);
            }
        }
    }

    private static RecordShape read(Class<? extends Record> type) {
        Map<String, Field> fields = new LinkedHashMap<>();
        for (RecordComponent component : type.getRecordComponents()) {
            Field field = field(type, component);
            if (fields.put(field.key(), field) != null) {
                throw new IllegalArgumentException(type.getName() + ": two components with the key " + field.key());
            }
        }
        return new RecordShape(constructor(type), fields);
    }

    private static Field field(Class<?> type, RecordComponent component) {
        JsonProperty property = annotation(type, component, JsonProperty.class);
        JsonPropertyDescription description = annotation(type, component, JsonPropertyDescription.class);
        String key = property == null || property.value().isEmpty() ? snakeCase(component.getName()) : property.value();
        String fault = type.getName() + ": component " + component.getName() + ": ";
        Field field;
        try {
            BindingKind kind = BindingKind.of(component.getGenericType());
            field = new Field(
                    key,
                    kind,
                    property != null && property.required(),
                    property == null ? "" : property.defaultValue(),
                    description == null ? "" : description.value(),
                    isNullable(component),
                    component.getAnnotation(Range.class),
                    kind == ScalarKind.PROXY_URL
                            || (SENSITIVE.matcher(key).find() && kind.innermost() == ScalarKind.TEXT),
                    component.isAnnotationPresent(NoSecret.class));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(fault + e.getMessage(), e);
        }
        if (!field.hasAbsentValue()) {
            throw new IllegalArgumentException(fault + "neither required nor @Nullable, and no defaultValue");
        }
        return field;
    }

    /** Jackson's annotations of a component are found on its field. */
    private static <A extends Annotation> @Nullable A annotation(
            Class<?> type, RecordComponent component, Class<A> annotation) {
        try {
            return type.getDeclaredField(component.getName()).getAnnotation(annotation);
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean isNullable(RecordComponent component) {
        return !component.getType().isPrimitive()
                && Arrays.stream(component.getAnnotatedType().getAnnotations())
                        .map(Annotation::annotationType)
                        .anyMatch(annotation -> annotation.getSimpleName().equals("Nullable"));
    }

    static String snakeCase(String camelCase) {
        return camelCase.replaceAll("([a-z0-9])([A-Z])", "$1_$2").toLowerCase(Locale.ROOT);
    }

    Set<String> keys() {
        return fields.keySet();
    }

    /** The record. */
    Class<? extends Record> type() {
        return constructor.getDeclaringClass();
    }

    /** Whether a given value may be a secret: a field with one of these keys, or one in a record below. */
    boolean givesSecret(Set<String> given) {
        for (Field field : fields.values()) {
            if (given.contains(field.key()) && (field.sensitive() || holdsSecret(field.kind(), new HashSet<>()))) {
                return true;
            }
        }
        return false;
    }

    /** Whether a field, or one in a record below, may hold a secret. */
    boolean holdsSecret() {
        return givesSecret(keys());
    }

    private static boolean holdsSecret(BindingKind kind, Set<Class<?>> seen) {
        return kind.innermost() instanceof BindingKind.Block block
                && seen.add(block.type())
                && of(block.type()).fields().values().stream()
                        .anyMatch(field -> field.sensitive() || holdsSecret(field.kind(), seen));
    }

    /** Makes a record. Rethrows the exceptions of its constructor. */
    Record create(@Nullable Object[] values) {
        try {
            return constructor.newInstance(values);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            if (e.getCause() instanceof Error cause) {
                throw cause;
            }
            throw new IllegalStateException(e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Constructor<? extends Record> constructor(Class<? extends Record> type) {
        Class<?>[] types = Arrays.stream(type.getRecordComponents())
                .map(RecordComponent::getType)
                .toArray(Class<?>[]::new);
        try {
            Constructor<? extends Record> constructor = type.getDeclaredConstructor(types);
            constructor.setAccessible(true);
            return constructor;
        } catch (NoSuchMethodException | InaccessibleObjectException e) {
            throw new IllegalArgumentException(type.getName() + ": its constructor cannot be called", e);
        }
    }
}
