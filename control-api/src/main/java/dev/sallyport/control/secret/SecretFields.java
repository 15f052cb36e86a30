package dev.sallyport.control.secret;

import dev.sallyport.control.model.FieldProblems;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What fields of secrets may hold. */
final class SecretFields {

    static final int LONGEST_VALUE = 64 << 10;
    static final int LONGEST_COMMENT = 1024;
    static final int LONGEST_VARIABLE = 128;
    static final int LONGEST_HOST = 254;
    static final int MOST_HOSTS = 100;

    static final String NAME = "[A-Za-z0-9_-]+";
    static final String NAME_WORDS = "letters, digits, hyphens and underscores";
    static final String VARIABLE = "[A-Z][A-Z0-9_]*";
    static final String VARIABLE_WORDS = "upper-case letters, digits and underscores, a letter first";

    private SecretFields() {}

    /** No header field can hold control characters but the tab (RFC 9110, 5.5). */
    static void checkValue(@Nullable String value, FieldProblems problems) {
        if (value == null || problems.isTouched("secret")) {
            return;
        }
        if (value.indexOf('\r') >= 0 || value.indexOf('\n') >= 0) {
            problems.add("secret", "a line break, which no header field can hold (expected: one line)");
        } else if (value.chars().anyMatch(c -> (c < ' ' && c != '\t') || c == 0x7F)) {
            problems.add("secret", "a control character, which no header field can hold (expected: none but tabs)");
        } else if (value.getBytes(StandardCharsets.UTF_8).length > LONGEST_VALUE) {
            problems.add("secret", "out of range (expected: at most 65536 bytes)");
        }
    }

    static void checkHosts(@Nullable List<String> hosts, FieldProblems problems) {
        if (hosts == null || problems.isTouched("hosts")) {
            return;
        }
        for (int i = 0; i < hosts.size(); i++) {
            String problem = SecretHost.problem(hosts.get(i));
            if (problem != null) {
                problems.add("hosts[" + i + "]", problem);
            }
        }
    }
}
