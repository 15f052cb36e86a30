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
        for (RecordShape.Field field : RecordShape.of(type).fields().values()) {
            String name = prefix + field.key();
            BindingKind kind = field.kind();
            boolean plainBlock = kind instanceof BindingKind.Block block && block.type() != RuleFields.class;
            if (!plainBlock || field.required() || field.nullable()) {
                row(name, field);
            }
            BindingKind inner = kind instanceof BindingKind.Many many
                    ? many.item()
                    : kind instanceof BindingKind.Named n ? n.value() : kind;
            if (inner instanceof BindingKind.Block block && block.type() != RuleFields.class && depth < MAX_DEPTH) {
                String suffix =
                        kind instanceof BindingKind.Many ? "[]." : kind instanceof BindingKind.Named ? ".*." : ".";
                rows(block.type(), name + suffix, depth + 1);
            }
        }
    }

    private void row(String name, RecordShape.Field field) {
        table.append("| `").append(name).append("` | ");
        table.append(type(field.kind())).append(" | ");
        table.append(defaultOf(field)).append(" | ");
        table.append(field.description().replace("|", "\\|"))
                .append(bounds(field))
                .append(" |\n");
    }

    private static String bounds(RecordShape.Field field) {
        if (field.range() == null || !(field.kind() instanceof ScalarKind kind)) {
            return "";
        }
        String bounds = Bounds.of(kind, field.range()).expected();
        return " " + Character.toUpperCase(bounds.charAt(0)) + bounds.substring(1) + ".";
    }

    private static String defaultOf(RecordShape.Field field) {
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
            case BindingKind.Many many -> "`[]`";
            case ScalarKind kind when kind == ScalarKind.BOOLEAN -> "`false`";
            default -> "";
        };
    }

    private static String type(BindingKind kind) {
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
                    case PROXY_URL -> "URL of a proxy";
                };
            case BindingKind.Choice choice ->
                "`" + String.join("`, `", choice.constants().keySet()) + "`";
            case BindingKind.Many many -> type(many.item()) + "[]";
            case BindingKind.Named named -> "map of " + type(named.value());
            case BindingKind.Block block -> block.type() == RuleFields.class ? "rule" : "object";
            case BindingKind.Reference secret -> "secret source";
            case BindingKind.Entry entry -> "transform";
            case BindingKind.Any any -> "any";
        };
    }
}
