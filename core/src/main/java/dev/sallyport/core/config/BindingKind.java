package dev.sallyport.core.config;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.SecretRef;
import java.lang.reflect.Field;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The Java type to which a node is bound. */
sealed interface BindingKind
        permits ScalarKind,
                BindingKind.Choice,
                BindingKind.Many,
                BindingKind.Named,
                BindingKind.Block,
                BindingKind.Reference,
                BindingKind.Entry,
                BindingKind.Any {

    /** The expected value, for messages. */
    String expected();

    /** The kind of what lists and mappings hold in the end; itself for all others. */
    default BindingKind innermost() {
        return this;
    }

    /** The kind of a type, or an IllegalArgumentException when configuration cannot be bound to it. */
    static BindingKind of(Type type) {
        if (type instanceof ParameterizedType parameterized) {
            Type[] arguments = parameterized.getActualTypeArguments();
            if (parameterized.getRawType() == List.class) {
                return new Many(of(arguments[0]));
            }
            if (parameterized.getRawType() == Map.class && arguments[0] == String.class) {
                return new Named(of(arguments[1]));
            }
            if (parameterized.getRawType() == TransformEntry.class) {
                return new Entry();
            }
        }
        if (type instanceof Class<?> raw) {
            ScalarKind scalar = ScalarKind.of(raw);
            if (scalar != null) {
                return scalar;
            }
            if (raw.isEnum()) {
                return Choice.of(raw);
            }
            if (raw.isRecord()) {
                return new Block(raw.asSubclass(Record.class));
            }
            if (raw == Rule.class) {
                return new Block(RuleFields.class);
            }
            if (raw == SecretRef.class) {
                return new Reference();
            }
            if (raw == Object.class) {
                return new Any();
            }
        }
        throw new IllegalArgumentException("configuration cannot be bound to " + type.getTypeName());
    }

    /** A constant of an enum, by its names in the configuration; those of one constant stand side by side. */
    record Choice(Map<String, Object> constants) implements BindingKind {

        static Choice of(Class<?> type) {
            Map<String, Object> constants = new LinkedHashMap<>();
            for (Object constant : type.getEnumConstants()) {
                for (String name : names(type, (Enum<?>) constant)) {
                    if (constants.put(name, constant) != null) {
                        throw new IllegalArgumentException(type.getName() + ", with two constants of the name " + name);
                    }
                }
            }
            return new Choice(constants);
        }

        private static List<String> names(Class<?> type, Enum<?> constant) {
            Field field;
            try {
                field = type.getField(constant.name());
            } catch (NoSuchFieldException e) {
                throw new IllegalStateException(e);
            }
            JsonProperty property = field.getAnnotation(JsonProperty.class);
            JsonAlias aliases = field.getAnnotation(JsonAlias.class);
            List<String> names = new ArrayList<>();
            names.add(
                    property != null && !property.value().isEmpty()
                            ? property.value()
                            : constant.name().toLowerCase(Locale.ROOT));
            if (aliases != null) {
                names.addAll(List.of(aliases.value()));
            }
            return names;
        }

        @Override
        public String expected() {
            return "one of " + String.join(", ", constants.keySet());
        }
    }

    /** A list. */
    record Many(BindingKind item) implements BindingKind {
        @Override
        public String expected() {
            return "a list";
        }

        @Override
        public BindingKind innermost() {
            return item.innermost();
        }
    }

    /** A mapping with free keys. */
    record Named(BindingKind value) implements BindingKind {
        @Override
        public String expected() {
            return "a mapping";
        }

        @Override
        public BindingKind innermost() {
            return value.innermost();
        }
    }

    /** A record. */
    record Block(Class<? extends Record> type) implements BindingKind {
        @Override
        public String expected() {
            return "a mapping";
        }
    }

    /** A secret source. */
    record Reference() implements BindingKind {
        @Override
        public String expected() {
            return "a secret source such as {type: env, var: NAME}";
        }
    }

    /** An entry of {@code transforms}. */
    record Entry() implements BindingKind {
        @Override
        public String expected() {
            return "a mapping with name and config";
        }
    }

    /** Anything, as String, Boolean, Long, BigInteger, BigDecimal, NullValue, List or Map. */
    record Any() implements BindingKind {
        @Override
        public String expected() {
            return "a value";
        }
    }
}
