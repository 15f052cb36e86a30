package dev.sallyport.transforms.secrets;

import dev.sallyport.toolkit.template.Template;
import dev.sallyport.toolkit.template.TemplateException;
import dev.sallyport.toolkit.template.TemplateSchema;

/** The Go template of an injected header's value; its only field is {@code .Value}. */
final class Formatter {

    private static final String VALUE = "Value";
    private static final TemplateSchema SCHEMA =
            TemplateSchema.builder().text(VALUE).build();

    private final Template template;

    private Formatter(Template template) {
        this.template = template;
    }

    static Formatter compile(String source) throws TemplateException {
        return new Formatter(Template.compile(source, SCHEMA));
    }

    /** Whether the rendered text depends on the secret. */
    boolean usesValue() {
        return template.uses(VALUE);
    }

    byte[] format(byte[] value) {
        return template.render(SCHEMA.values().set(VALUE, value));
    }
}
