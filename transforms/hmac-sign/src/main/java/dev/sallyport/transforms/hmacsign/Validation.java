package dev.sallyport.transforms.hmacsign;

import dev.sallyport.spi.Problems;
import dev.sallyport.toolkit.headers.FieldSyntax;
import dev.sallyport.toolkit.headers.ReservedFields;
import dev.sallyport.toolkit.template.Template;
import dev.sallyport.toolkit.template.TemplateException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Checks what the types of the configuration cannot express. */
final class Validation {

    private final Problems problems;

    Validation(Problems problems) {
        this.problems = problems;
    }

    void check(HmacSignConfig config) {
        Templates templates = new Templates(config.shown().keySet());
        template(
                "/signature/message", () -> templates.message(config.signature().message()));
        if (!config.credentials().containsKey(HmacSignConfig.SECRET)) {
            problems.add("/credentials", "no secret", "an entry \"secret\", the key of the HMAC");
        }
        headers(config.headers(), templates);
        if (config.rules().isEmpty()) {
            problems.add("/rules", "no rule", "at least one rule");
        }
    }

    private void headers(List<HmacSignConfig.Header> headers, Templates templates) {
        if (headers.isEmpty()) {
            problems.add("/headers", "no header", "at least one header that carries the signature");
        }
        Set<String> names = new HashSet<>();
        for (int i = 0; i < headers.size(); i++) {
            HmacSignConfig.Header header = headers.get(i);
            String pointer = "/headers/" + i;
            if (!FieldSyntax.isToken(header.name())) {
                problems.add(pointer + "/name", "not a header name", "a header name such as X-Signature");
            } else if (ReservedFields.isReserved(header.name())) {
                problems.add(pointer + "/name", "a header that belongs to the engine", "any other header");
            } else if (!names.add(header.name().toLowerCase(Locale.ROOT))) {
                problems.add(pointer + "/name", "the header is set twice", "each header once");
            }
            template(pointer + "/value", () -> templates.header(header.value()));
        }
    }

    private interface Compilation {
        Template compile() throws TemplateException;
    }

    private void template(String pointer, Compilation compilation) {
        try {
            compilation.compile();
        } catch (TemplateException e) {
            var problem = e.at(pointer);
            problems.add(pointer, String.valueOf(problem.getMessage()), problem.expected());
        }
    }
}
