package dev.sallyport.core.config;

/** Writes the Markdown table of a config record's fields. Records inside of it are shown with dotted names. */
public final class FieldTable {

    private static final int MAX_DEPTH = 6;

    private final StringBuilder table = new StringBuilder("| Field | Type | Default | Meaning |\n|---|---|---|---|\n");

    private FieldTable() {}

    /**
     * The table, ended by a newline.
     *
     * @throws IllegalArgumentException when configuration cannot be bound to the record
     */
    public static String markdown(Class<? extends Record> type) {
        FieldTable table = new FieldTable();
        table.rows(type, "", 0);
        return table.table.toString();
    }

    private void rows(Class<? extends Record> type, String prefix, int depth) {
        for (Shape.Field field : Shape.of(type).fields().values()) {
            String name = prefix + field.key();
            Kind kind = field.kind();
            boolean plainBlock = kind instanceof Kind.Block block && block.type() != RuleFields.class;
            if (!plainBlock || field.required() || field.nullable()) {
                row(name, field);
            }
            Kind inner = kind instanceof Kind.Many many ? many.item() : kind instanceof Kind.Named n ? n.value() : kind;
            if (inner instanceof Kind.Block block && block.type() != RuleFields.class && depth < MAX_DEPTH) {
                String suffix = kind instanceof Kind.Many ? "[]." : kind instanceof Kind.Named ? ".*." : ".";
                rows(block.type(), name + suffix, depth + 1);
            }
        }
    }

    private void row(String name, Shape.Field field) {
        table.append("| `").append(name).append("` | ");
        table.append(type(field.kind())).append(" | ");
        table.append(defaultOf(field)).append(" | ");
        table.append(field.description().replace("|", "\\|"))
                .append(bounds(field))
                .append(" |\n");
    }

    private static String bounds(Shape.Field field) {
        if (field.range() == null || !(field.kind() instanceof ScalarKind kind)) {
            return "";
        }
        String bounds = Bounds.of(kind, field.range()).expected();
        return " " + Character.toUpperCase(bounds.charAt(0)) + bounds.substring(1) + ".";
    }

    private static String defaultOf(Shape.Field field) {
        if (field.required()) {
            return "required";
        }
        if (!field.defaultText().isEmpty()) {
            return "`" + field.defaultText().replace(",", "`, `") + "`";
        }
        if (field.nullable()) {
            return "";
        }
        return switch (field.kind()) {
            case Kind.Many many -> "`[]`";
            case ScalarKind kind when kind == ScalarKind.BOOLEAN -> "`false`";
            default -> "";
        };
    }

    private static String type(Kind kind) {
        return switch (kind) {
            case ScalarKind scalar ->
                switch (scalar) {
                    case TEXT -> "string";
                    case BOOLEAN -> "boolean";
                    case INT, LONG -> "integer";
                    case NUMBER -> "number";
                    case DURATION -> "duration";
                    case SIZE -> "size";
                    case LISTEN -> "listen address";
                    case SERVER -> "address and port";
                    case ADDRESS -> "IP address";
                    case CIDR -> "CIDR";
                    case FILE -> "path";
                };
            case Kind.Choice choice ->
                "`" + String.join("`, `", choice.constants().keySet()) + "`";
            case Kind.Many many -> type(many.item()) + "[]";
            case Kind.Named named -> "map of " + type(named.value());
            case Kind.Block block -> block.type() == RuleFields.class ? "rule" : "object";
            case Kind.Reference secret -> "secret source";
            case Kind.Entry entry -> "transform";
            case Kind.Any any -> "any";
        };
    }
}
