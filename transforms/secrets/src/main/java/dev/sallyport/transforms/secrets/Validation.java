package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.Problems;
import dev.sallyport.toolkit.headers.FieldSyntax;
import dev.sallyport.toolkit.headers.HeaderPatterns;
import dev.sallyport.toolkit.headers.ReservedFields;
import dev.sallyport.toolkit.template.TemplateException;

/** Checks what the types of the configuration cannot express. */
final class Validation {

    private static final String ONE_MODE = "exactly one of inject and replace";

    private final Problems problems;

    Validation(Problems problems) {
        this.problems = problems;
    }

    void check(SecretsConfig config) {
        for (int i = 0; i < config.secrets().size(); i++) {
            entry(config.secrets().get(i), "/secrets/" + i);
        }
    }

    /** Reports what will work, but probably not as intended. */
    void doubts(SecretsConfig config) {
        for (int i = 0; i < config.secrets().size(); i++) {
            echoed(config.secrets().get(i), "/secrets/" + i);
            SecretsConfig.Inject inject = config.secrets().get(i).inject();
            if (inject != null && inject.formatter() != null && withoutValue(inject.formatter())) {
                problems.add(
                        "/secrets/" + i + "/inject/formatter",
                        "the template does not use the secret: the header is the same whatever the secret's value",
                        "{{.Value}} somewhere in it");
            }
        }
    }

    /** Most hosts echo few of the headers that they receive, and only well-known ones. */
    private void echoed(SecretsConfig.Entry entry, String pointer) {
        SecretsConfig.Replace replace = entry.replacement();
        if (replace == null || !replace.scanHeaders() || !replace.matchHeaders().isEmpty()) {
            return;
        }
        String host = EchoHosts.in(entry.rules());
        if (host != null) {
            problems.add(
                    pointer + (entry.replace() == null ? "" : "/replace") + "/match_headers",
                    "empty, so the value goes into every header that has the placeholder, and the rules reach " + host
                            + ", which sends back what it receives",
                    "the headers that carry it, such as [Authorization], or rules without that host");
        }
    }

    private static boolean withoutValue(String formatter) {
        try {
            return !Formatter.compile(formatter).usesValue();
        } catch (TemplateException e) {
            return false; // Reported as an error.
        }
    }

    private void entry(SecretsConfig.Entry entry, String pointer) {
        boolean flat = entry.flat();
        if (flat && (entry.inject() != null || entry.replace() != null)) {
            String block = entry.inject() != null ? "inject" : "replace";
            problems.add(
                    pointer,
                    "the older fields of the entry (proxy_value, match_*, require) are combined with " + block,
                    "all of them in a replace block");
        } else if (entry.inject() != null && entry.replace() != null) {
            problems.add(pointer, "both inject and replace are set", ONE_MODE);
        } else if (!flat && entry.inject() == null && entry.replace() == null) {
            problems.add(pointer, "neither inject nor replace is set", ONE_MODE);
        } else if (flat && entry.proxyValue() == null) {
            problems.add(
                    pointer + "/proxy_value", "missing field \"proxy_value\"", "the token that the workload sends");
        }
        if (entry.inject() != null) {
            inject(entry.inject(), pointer + "/inject");
            if (entry.onMisdirect() != null) {
                problems.add(
                        pointer + "/on_misdirect",
                        "on_misdirect is combined with inject, which has no placeholder",
                        "on_misdirect only with replace");
            }
        }
        if (entry.replace() != null) {
            replace(entry.replace(), pointer + "/replace");
        } else if (flat) {
            SecretsConfig.Replace replace = entry.replacement();
            if (replace != null) {
                replace(replace, pointer);
            }
        }
    }

    private void inject(SecretsConfig.Inject inject, String pointer) {
        String header = inject.header();
        String parameter = inject.queryParam();
        if ((header == null) == (parameter == null)) {
            problems.add(
                    pointer,
                    header == null ? "neither header nor query_param is set" : "both header and query_param are set",
                    "exactly one of header and query_param");
        }
        if (header != null && !FieldSyntax.isToken(header)) {
            problems.add(pointer + "/header", "not a header name", "a header name such as Authorization");
        } else if (header != null && ReservedFields.isReserved(header)) {
            problems.add(pointer + "/header", "a header that belongs to the engine", "any other header");
        }
        if (parameter != null && parameter.isEmpty()) {
            problems.add(pointer + "/query_param", "empty", "the name of a query parameter");
        }
        if (!inject.require()) {
            problems.add(
                    pointer + "/require",
                    "no request goes on without the secret that it needs",
                    "true, or no such field");
        }
        String formatter = inject.formatter();
        if (formatter != null && parameter != null) {
            problems.add(
                    pointer + "/formatter", "formatter is combined with query_param", "formatter only with header");
        } else if (formatter != null) {
            template(formatter, pointer + "/formatter");
        }
    }

    private void template(String formatter, String pointer) {
        try {
            Formatter.compile(formatter);
        } catch (TemplateException e) {
            var problem = e.at(pointer);
            problems.add(pointer, String.valueOf(problem.getMessage()), problem.expected());
        }
    }

    private void replace(SecretsConfig.Replace replace, String pointer) {
        if (replace.proxyValue().isEmpty()) {
            problems.add(pointer + "/proxy_value", "empty", "the token that the workload sends");
        }
        HeaderPatterns.parse(replace.matchHeaders(), problems, pointer + "/match_headers");
        if (!replace.scanHeaders() && !replace.matchHeaders().isEmpty()) {
            problems.add(
                    pointer + "/match_headers", "it has no effect with scan_headers: false", "only one of the two");
        } else if (!replace.scanHeaders() && !replace.matchBody() && !replace.matchPath() && !replace.matchQuery()) {
            problems.add(
                    pointer, "nothing is scanned", "scan_headers, match_body, match_path or match_query to be true");
        }
    }
}
