package dev.sallyport.control.policy;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.sallyport.control.model.FieldProblems;
import dev.sallyport.control.model.Limits;
import dev.sallyport.spi.Rule;
import dev.sallyport.toolkit.match.CompiledRules;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which traffic: exactly one of host and cidr; empty lists are all. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RuleDraft(
        @Limits(
                max = 1024,
                description =
                        "Host name, * for any, or a pattern such as *.example.com, which is every subdomain and example.com. Not together with cidr.")
        @Nullable String host,

        @Limits(
                max = 64,
                description = "Address or range, for hosts that are address literals. Not together with host.")
        @Nullable String cidr,

        @Limits(max = 1000, description = "Path patterns; a trailing /* is any depth. Empty is all.")
        List<String> paths,

        @Limits(max = 100, description = "HTTP methods; empty is all.")
        List<String> methods,

        @Limits(max = 1000, description = "Ports; empty is all.")
        List<Integer> ports,

        @Limits(description = "Scheme of the request; both when absent.") @Nullable Scheme scheme) {

    /** Schemes, as they are written. */
    public enum Scheme {
        /** Plain. */
        @JsonProperty("http")
        HTTP,
        /** Over TLS. */
        @JsonProperty("https")
        HTTPS
    }

    public RuleDraft {
        paths = List.copyOf(paths);
        methods = List.copyOf(methods);
        ports = List.copyOf(ports);
    }

    /** Reports problems as the engine would. */
    void check(String field, FieldProblems problems) {
        if (problems.isTouched(field)) {
            return;
        }
        if ((host == null) == (cidr == null)) {
            problems.add(
                    field, host == null ? "neither host nor cidr (expected: one)" : "host and cidr (expected: one)");
            return;
        }
        CompiledRules.check(
                List.of(rule()),
                (pointer, message, expected) -> problems.add(
                        field + place(pointer),
                        expected.isEmpty() ? message : message + " (expected: " + expected + ")"),
                "");
    }

    /** In the form of the engine. */
    public Rule rule() {
        return Rule.builder()
                .host(host)
                .cidr(cidr)
                .methods(methods)
                .paths(paths)
                .ports(ports)
                .scheme(scheme == null ? null : Rule.Scheme.valueOf(scheme.name()))
                .build();
    }

    /** {@code /0/paths/1} as {@code .paths[1]}. */
    private static String place(String pointer) {
        StringBuilder field = new StringBuilder();
        String[] parts = pointer.split("/", -1);
        for (int i = 2; i < parts.length; i++) {
            boolean index = !parts[i].isEmpty() && parts[i].chars().allMatch(c -> c >= '0' && c <= '9');
            field.append(index ? "[" + parts[i] + "]" : "." + parts[i]);
        }
        return field.toString();
    }

    /** Reports the problems of all rules of a policy. */
    static void checkAll(List<RuleDraft> rules, FieldProblems problems) {
        for (int i = 0; i < rules.size(); i++) {
            rules.get(i).check("rules[" + i + "]", problems);
        }
    }
}
