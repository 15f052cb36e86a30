package dev.sallyport.core.config;

import java.util.Collection;

/** Prints findings, one a line. */
public final class ConfigReport {

    private ConfigReport() {}

    /** The lines, each ended by a newline, in the order of the places. */
    public static String of(Collection<ConfigProblem> findings) {
        StringBuilder report = new StringBuilder();
        findings.stream().sorted().forEach(finding -> report.append(finding).append('\n'));
        return report.toString();
    }
}
