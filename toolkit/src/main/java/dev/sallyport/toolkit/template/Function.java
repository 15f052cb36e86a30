package dev.sallyport.toolkit.template;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/** The functions whose arguments are values; the parser handles {@code printf} and {@code index}. */
enum Function {
    LEN {
        @Override
        Object apply(List<Expression> arguments, TemplateValues values) {
            return (long) ((byte[]) arguments.get(0).value(values)).length;
        }
    },
    /** Whether the first is equal to any of the others. */
    EQ {
        @Override
        Object apply(List<Expression> arguments, TemplateValues values) {
            Object first = arguments.get(0).value(values);
            for (Expression other : arguments.subList(1, arguments.size())) {
                if (equal(first, other.value(values))) {
                    return true;
                }
            }
            return false;
        }
    },
    NE {
        @Override
        Object apply(List<Expression> arguments, TemplateValues values) {
            return !equal(arguments.get(0).value(values), arguments.get(1).value(values));
        }
    },
    /** The first false argument, otherwise the last; arguments after it are not evaluated. */
    AND {
        @Override
        Object apply(List<Expression> arguments, TemplateValues values) {
            return choose(arguments, values, false);
        }
    },
    /** The first true argument, otherwise the last; arguments after it are not evaluated. */
    OR {
        @Override
        Object apply(List<Expression> arguments, TemplateValues values) {
            return choose(arguments, values, true);
        }
    },
    NOT {
        @Override
        Object apply(List<Expression> arguments, TemplateValues values) {
            return !Values.truth(arguments.get(0).value(values));
        }
    },
    /** Standard padded base64 (RFC 4648, 4) of its arguments, one after the other. */
    BASE64 {
        @Override
        Object apply(List<Expression> arguments, TemplateValues values) {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            for (Expression argument : arguments) {
                all.writeBytes((byte[]) argument.value(values));
            }
            return Base64.getEncoder().encode(all.toByteArray());
        }
    };

    abstract Object apply(List<Expression> arguments, TemplateValues values);

    private static Object choose(List<Expression> arguments, TemplateValues values, boolean wanted) {
        Object value = arguments.get(0).value(values);
        for (int i = 1; i < arguments.size() && Values.truth(value) != wanted; i++) {
            value = arguments.get(i).value(values);
        }
        return value;
    }

    private static boolean equal(Object one, Object other) {
        return one instanceof byte[] text ? Arrays.equals(text, (byte[]) other) : one.equals(other);
    }
}
