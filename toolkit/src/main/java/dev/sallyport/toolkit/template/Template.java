package dev.sallyport.toolkit.template;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A compiled template. Immutable and thread-safe. Rendering writes bytes and fails only for a missing value, which is
 * an error of the caller.
 */
public final class Template {

    private final TemplateSchema schema;
    private final List<Statement> statements;
    private final Set<Integer> used;

    private Template(TemplateSchema schema, List<Statement> statements, Set<Integer> used) {
        this.schema = schema;
        this.statements = statements;
        this.used = used;
    }

    /**
     * Compiles a template.
     *
     * @throws TemplateException when it is malformed, uses an undeclared field, or calls an unknown function or one
     *     with the wrong arguments
     */
    public static Template compile(String source, TemplateSchema schema) throws TemplateException {
        Set<Integer> used = new HashSet<>();
        List<Statement> statements = new Parser(source, schema, used).parse();
        return new Template(schema, statements, Set.copyOf(used));
    }

    /** Whether the template uses this field in any of its branches. */
    public boolean uses(String field) {
        TemplateSchema.Slot slot = schema.field(field);
        return slot != null && used.contains(slot.index());
    }

    /** Whether the template uses this entry of a map in any of its branches. */
    public boolean uses(String map, String key) {
        TemplateSchema.Slot slot = schema.entry(map, key);
        return slot != null && used.contains(slot.index());
    }

    /**
     * Writes the rendering piece by piece, without copying values.
     *
     * @throws IllegalStateException when a needed field was not set
     */
    public void render(TemplateValues values, ByteSink out) {
        if (!values.isOf(schema)) {
            throw new IllegalArgumentException("values of another schema");
        }
        for (Statement statement : statements) {
            statement.write(values, out);
        }
    }

    /** The rendering as bytes; see {@link #render(TemplateValues, ByteSink)}. */
    public byte[] render(TemplateValues values) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        render(values, out::write);
        return out.toByteArray();
    }

    /** The rendering as text; bytes that are not UTF-8 are replaced. */
    public String renderText(TemplateValues values) {
        return new String(render(values), StandardCharsets.UTF_8);
    }
}
