package dev.sallyport.toolkit.template;

import java.util.List;

/** An expression of a template. Immutable. */
sealed interface Expression {

    Kind kind();

    Object value(TemplateValues values);

    /** A literal. */
    record Constant(Kind kind, Object held) implements Expression {
        @Override
        public Object value(TemplateValues values) {
            return held;
        }
    }

    /** A field, or an entry of a map. */
    record Field(Kind kind, int slot) implements Expression {
        @Override
        public Object value(TemplateValues values) {
            return values.get(slot);
        }
    }

    /** The name of a map, as {@code index} takes it. */
    record MapName(String name) implements Expression {
        @Override
        public Kind kind() {
            return Kind.MAP;
        }

        @Override
        public Object value(TemplateValues values) {
            throw new IllegalStateException("a map is not a value");
        }
    }

    /** A function whose arguments have been checked. */
    record Call(Kind kind, Function function, List<Expression> arguments) implements Expression {
        @Override
        public Object value(TemplateValues values) {
            return function.apply(arguments, values);
        }
    }

    /** {@code printf} with its format. */
    record Printf(Format format, List<Expression> arguments) implements Expression {
        @Override
        public Kind kind() {
            return Kind.TEXT;
        }

        @Override
        public Object value(TemplateValues values) {
            return format.apply(arguments, values);
        }
    }
}
