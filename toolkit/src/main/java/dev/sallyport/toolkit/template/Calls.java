package dev.sallyport.toolkit.template;

import dev.sallyport.toolkit.template.TemplateSchema.Slot;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Checks fields and calls against the schema and the known functions. */
final class Calls {

    private static final String FUNCTIONS = "one of and, base64, eq, index, len, ne, not, or, printf";

    private final String source;
    private final TemplateSchema schema;
    private final Set<Integer> used;

    /** Remembers the slots that fields stand for in {@code used}. */
    Calls(String source, TemplateSchema schema, Set<Integer> used) {
        this.source = source;
        this.schema = schema;
        this.used = used;
    }

    Expression field(Token token) throws TemplateException {
        String path = token.text();
        int dot = path.indexOf('.');
        String name = dot < 0 ? path : path.substring(0, dot);
        if (dot < 0 && schema.isMap(name)) {
            return new Expression.MapName(name);
        }
        Slot slot = dot < 0 ? schema.field(name) : schema.entry(name, path.substring(dot + 1));
        if (slot == null) {
            String expected = dot >= 0 && schema.isMap(name) ? schema.names(name) : schema.names();
            throw fault(token.offset(), "there is no field ." + path, expected);
        }
        return use(slot);
    }

    private Expression use(Slot slot) {
        used.add(slot.index());
        return new Expression.Field(slot.kind(), slot.index());
    }

    Expression call(Token token, List<Expression> arguments) throws TemplateException {
        return switch (token.text()) {
            case "printf" -> printf(token, arguments);
            case "index" -> index(token, arguments);
            case "len" -> call(Function.LEN, Kind.NUMBER, texts(token, arguments, 1, 1));
            case "base64" -> call(Function.BASE64, Kind.TEXT, texts(token, arguments, 0, Integer.MAX_VALUE));
            case "not" -> call(Function.NOT, Kind.TRUTH, values(token, arguments, 1, 1));
            case "and" -> chosen(token, Function.AND, arguments);
            case "or" -> chosen(token, Function.OR, arguments);
            case "eq" -> comparison(token, Function.EQ, arguments, Integer.MAX_VALUE);
            case "ne" -> comparison(token, Function.NE, arguments, 2);
            default -> throw fault(token.offset(), "there is no function " + token.text(), FUNCTIONS);
        };
    }

    private static Expression call(Function function, Kind kind, List<Expression> arguments) {
        return new Expression.Call(kind, function, List.copyOf(arguments));
    }

    private Expression printf(Token token, List<Expression> arguments) throws TemplateException {
        values(token, arguments, 1, Integer.MAX_VALUE);
        byte[] format = text(arguments.get(0));
        if (format == null) {
            throw fault(token.offset(), "printf without a format", "printf and a string");
        }
        List<Expression> rest = List.copyOf(arguments.subList(1, arguments.size()));
        try {
            Format compiled =
                    new Format(format, rest.stream().map(Expression::kind).toList());
            return new Expression.Printf(compiled, rest);
        } catch (Format.FormatFault e) {
            throw fault(token.offset(), e.reason(), e.expected());
        }
    }

    private Expression index(Token token, List<Expression> arguments) throws TemplateException {
        byte[] bytes = arguments.size() == 2 ? text(arguments.get(1)) : null;
        if (bytes == null || !(arguments.get(0) instanceof Expression.MapName map)) {
            throw fault(token.offset(), "index without a map and a string", "index .Credentials \"name\"");
        }
        String key = new String(bytes, StandardCharsets.UTF_8);
        Slot slot = schema.entry(map.name(), key);
        if (slot == null) {
            throw fault(token.offset(), "there is no entry with that name in ." + map.name(), schema.names(map.name()));
        }
        return use(slot);
    }

    private static byte @Nullable [] text(Expression expression) {
        return expression instanceof Expression.Constant constant && constant.held() instanceof byte[] bytes
                ? bytes
                : null;
    }

    private Expression chosen(Token token, Function function, List<Expression> arguments) throws TemplateException {
        values(token, arguments, 1, Integer.MAX_VALUE);
        Kind kind = arguments.get(0).kind();
        boolean same = arguments.stream().allMatch(argument -> argument.kind() == kind);
        return call(function, same ? kind : Kind.MIXED, arguments);
    }

    private Expression comparison(Token token, Function function, List<Expression> arguments, int most)
            throws TemplateException {
        values(token, arguments, 2, most);
        Kind kind = arguments.get(0).kind();
        boolean same = arguments.stream().allMatch(argument -> argument.kind() == kind);
        if (!same || kind == Kind.MIXED) {
            throw fault(token.offset(), token.text() + " of values of different kinds", "values of one kind");
        }
        return call(function, Kind.TRUTH, arguments);
    }

    private List<Expression> texts(Token token, List<Expression> arguments, int least, int most)
            throws TemplateException {
        values(token, arguments, least, most);
        for (Expression argument : arguments) {
            if (argument.kind() != Kind.TEXT) {
                throw fault(
                        token.offset(), token.text() + " of " + argument.kind().words(), Kind.TEXT.words());
            }
        }
        return arguments;
    }

    private List<Expression> values(Token token, List<Expression> arguments, int least, int most)
            throws TemplateException {
        if (arguments.size() < least || arguments.size() > most) {
            String expected = least == most ? String.valueOf(least) : "at least " + least;
            throw fault(token.offset(), token.text() + " with " + arguments.size() + " arguments", expected);
        }
        for (Expression argument : arguments) {
            requireValue(argument, token.offset());
        }
        return arguments;
    }

    void requireValue(Expression expression, int offset) throws TemplateException {
        if (expression instanceof Expression.MapName map) {
            throw fault(offset, "all of ." + map.name() + " where one value is required", "." + map.name() + ".<name>");
        }
    }

    private TemplateException fault(int offset, String reason, String expected) {
        return TemplateException.at(source, offset, reason, expected);
    }
}
