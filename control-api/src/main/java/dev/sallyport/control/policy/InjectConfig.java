package dev.sallyport.control.policy;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sallyport.control.model.FieldProblems;
import dev.sallyport.control.model.Limits;
import dev.sallyport.toolkit.headers.FieldSyntax;
import dev.sallyport.toolkit.headers.ReservedFields;
import dev.sallyport.toolkit.template.Template;
import dev.sallyport.toolkit.template.TemplateException;
import dev.sallyport.toolkit.template.TemplateSchema;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Adds a header or a query parameter. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record InjectConfig(
        @Limits(max = 256, description = "Header to set. Not together with query_param.") @Nullable String header,

        @Limits(max = 256, description = "Query parameter to append. Not together with header.") @Nullable String queryParam,

        @Limits(max = 8192, description = "Go template of the header's value; has .Value and base64.") @Nullable String formatter) {

    private static final TemplateSchema SCHEMA =
            TemplateSchema.builder().text("Value").build();

    /** Stands for a value that a header can hold. */
    private static final byte[] SAMPLE = {'v'};

    /** Reports problems. */
    void check(FieldProblems problems) {
        String field = "inject_config";
        if (problems.isTouched(field)) {
            return;
        }
        if ((header == null) == (queryParam == null)) {
            problems.add(
                    field,
                    header == null
                            ? "neither header nor query_param (expected: one)"
                            : "header and query_param (expected: one)");
            return;
        }
        if (header != null && !FieldSyntax.isToken(header)) {
            problems.add(field + ".header", "not a header name (expected: a name such as Authorization)");
        } else if (header != null && ReservedFields.isReserved(header)) {
            problems.add(field + ".header", "a header that belongs to the proxy (expected: another one)");
        }
        if (queryParam != null && queryParam.isEmpty()) {
            problems.add(field + ".query_param", "empty (expected: the name of a query parameter)");
        }
        if (formatter != null) {
            checkFormatter(field + ".formatter", formatter, problems);
        }
    }

    private void checkFormatter(String field, String template, FieldProblems problems) {
        if (queryParam != null) {
            problems.add(field, "together with query_param (expected: only with header)");
            return;
        }
        try {
            byte[] text =
                    Template.compile(template, SCHEMA).render(SCHEMA.values().set("Value", SAMPLE));
            if (!FieldSyntax.isValue(new String(text, StandardCharsets.ISO_8859_1))) {
                problems.add(field, "a control character, which no header can hold (expected: none but tabs)");
            }
        } catch (TemplateException e) {
            problems.add(field, String.valueOf(e.getMessage()));
        }
    }
}
