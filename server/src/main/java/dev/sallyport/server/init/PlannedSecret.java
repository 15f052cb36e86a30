package dev.sallyport.server.init;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A credential that the workload gets a placeholder of: {@code NAME=env:VAR@HOST[,HOST]}.
 *
 * @param name the variable in which the workload finds the placeholder
 * @param variable the variable in which the proxy finds the value
 * @param hosts where the value goes
 */
public record PlannedSecret(String name, String variable, List<String> hosts) {

    private static final String VARIABLE = "[A-Za-z_][A-Za-z0-9_]*";
    private static final Pattern FORM =
            Pattern.compile("(" + VARIABLE + ")=env:(" + VARIABLE + ")@([^@,\\s]+(?:,[^@,\\s]+)*)");

    public PlannedSecret {
        hosts = List.copyOf(hosts);
    }

    /** Reads the form above; null for anything else. */
    public static @Nullable PlannedSecret parse(String text) {
        Matcher form = FORM.matcher(text);
        return form.matches()
                ? new PlannedSecret(
                        form.group(1), form.group(2), List.of(form.group(3).split(",", -1)))
                : null;
    }

    /** What the workload sends in the place of the value. */
    String placeholder() {
        return "placeholder-" + name.toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
