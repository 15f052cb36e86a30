package dev.sallyport.server.run;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code --secret NAME=env:VAR@HOST[,HOST]}.
 *
 * @param name the variable of the program, which holds a placeholder
 * @param variable the variable that holds the real value
 * @param hosts where it may go
 */
record SecretOption(String name, String variable, List<String> hosts) {

    private static final String IDENTIFIER = "[A-Za-z_][A-Za-z0-9_]*";
    private static final Pattern FORM = Pattern.compile("(" + IDENTIFIER + ")=env:(" + IDENTIFIER + ")@(.+)");

    SecretOption {
        hosts = List.copyOf(hosts);
    }

    static SecretOption parse(String text) throws UsageException {
        Matcher form = FORM.matcher(text);
        List<String> hosts = form.matches() ? Arrays.asList(form.group(3).split(",", -1)) : List.of();
        if (hosts.isEmpty() || hosts.stream().anyMatch(String::isBlank)) {
            // What was given may be the secret itself.
            throw new UsageException("--secret is not in its form", "NAME=env:VAR@HOST[,HOST]");
        }
        return new SecretOption(
                form.group(1), form.group(2), hosts.stream().map(String::strip).toList());
    }
}
