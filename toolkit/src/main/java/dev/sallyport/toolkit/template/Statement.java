package dev.sallyport.toolkit.template;

import java.util.List;

/** A part of a template that produces output. Immutable. */
sealed interface Statement {

    void write(TemplateValues values, ByteSink out);

    /** Text outside actions. */
    record Text(Bytes bytes) implements Statement {
        @Override
        public void write(TemplateValues values, ByteSink out) {
            out.write(bytes.array());
        }
    }

    /** The value of a pipeline. */
    record Print(Expression expression) implements Statement {
        @Override
        public void write(TemplateValues values, ByteSink out) {
            out.write(Values.bytes(expression.value(values)));
        }
    }

    /** {@code if}, with the branch after {@code else}. */
    record If(Expression condition, List<Statement> then, List<Statement> otherwise) implements Statement {
        @Override
        public void write(TemplateValues values, ByteSink out) {
            for (Statement statement : Values.truth(condition.value(values)) ? then : otherwise) {
                statement.write(values, out);
            }
        }
    }
}
