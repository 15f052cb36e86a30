package dev.sallyport.server.metrics;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What {@code promtool check metrics} says of an exposition in the text format, and a little more: that each family has a
 * help and a type, that nothing is told twice, and that names begin with whose they are.
 */
public final class ExpositionLint {

    private static final Pattern NAME = Pattern.compile("(sallyport|process|jvm)(_[a-z0-9]+)+");
    private static final Pattern SAMPLE = Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(.*)})? (\\S+)");
    private static final Pattern LABEL = Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\]|\\\\.)*)\",?");
    private static final Pattern LABEL_NAME = Pattern.compile("[a-z][a-z0-9]*(_[a-z0-9]+)*");
    private static final Set<String> OF_HISTOGRAMS = Set.of("_bucket", "_count", "_sum");
    private static final Set<String> TYPES = Set.of("counter", "gauge", "histogram", "summary", "untyped", "info");

    /** Units that are not the base ones, and abbreviations of units. */
    private static final Set<String> OTHER_UNITS = Set.of(
            "s",
            "ms",
            "us",
            "ns",
            "sec",
            "b",
            "kb",
            "mb",
            "gb",
            "tb",
            "m",
            "h",
            "d",
            "milliseconds",
            "microseconds",
            "nanoseconds",
            "minutes",
            "hours",
            "days",
            "weeks",
            "kilobytes",
            "megabytes",
            "gigabytes",
            "kibibytes",
            "mebibytes",
            "bits",
            "percent",
            "percents");

    private static final Set<String> BASE_UNITS = Set.of("seconds", "bytes", "ratio");

    private final List<String> problems = new ArrayList<>();
    private final Set<String> families = new HashSet<>();
    private final Set<String> series = new HashSet<>();
    private String helped = "";
    private String family = "";
    private String type = "";

    private ExpositionLint() {}

    /** One line for each problem; empty when there is none. */
    public static List<String> problems(String exposition) {
        ExpositionLint lint = new ExpositionLint();
        exposition.lines().forEach(lint::line);
        if (lint.series.isEmpty()) {
            lint.problems.add("no sample at all");
        }
        return lint.problems;
    }

    private void line(String line) {
        if (line.startsWith("# HELP ")) {
            help(line.substring(7));
        } else if (line.startsWith("# TYPE ")) {
            type(line.substring(7));
        } else if (!line.startsWith("#")) {
            Matcher sample = SAMPLE.matcher(line);
            if (sample.matches()) {
                sample(sample.group(1), sample.group(2) == null ? "" : sample.group(2), sample.group(3));
            } else {
                problems.add("not a sample: " + line);
            }
        }
    }

    private void help(String rest) {
        int space = rest.indexOf(' ');
        helped = space < 0 ? rest : rest.substring(0, space);
        check(space > 0 && rest.endsWith("."), helped, "has no sentence for help");
    }

    private void type(String rest) {
        family = rest.substring(0, rest.indexOf(' '));
        type = rest.substring(rest.indexOf(' ') + 1);
        check(families.add(family), family, "is told twice");
        check(helped.equals(family), family, "has no help");
        check(TYPES.contains(type) && !type.equals("untyped"), family, "has no type");
        check(NAME.matcher(family).matches(), family, "is not in snake case, or begins with nobody's name");
        check(
                type.equals("counter") == family.endsWith("_total"),
                family,
                "of type " + type + ": _total is for counters");
        String words = family.endsWith("_total") ? family.substring(0, family.length() - 6) : family;
        for (String word : words.split("_", -1)) {
            String lower = word.toLowerCase(Locale.ROOT);
            check(!OTHER_UNITS.contains(lower), family, "has a unit that is not a base unit: " + word);
            check(!TYPES.contains(lower) || words.endsWith("_info"), family, "names its type: " + word);
            check(
                    !BASE_UNITS.contains(lower) || words.endsWith("_" + word),
                    family,
                    "does not end with its unit: " + word);
        }
        for (String suffix : OF_HISTOGRAMS) {
            check(!family.endsWith(suffix), family, "ends like a part of a histogram");
        }
    }

    private void sample(String name, String labels, String value) {
        boolean part = type.equals("histogram") && OF_HISTOGRAMS.contains(name.substring(name.lastIndexOf('_')));
        String of = part ? name.substring(0, name.lastIndexOf('_')) : name;
        check(of.equals(family), name, "is not of the family before it: " + family);
        check(series.add(name + "{" + labels + "}"), name, "is there twice: {" + labels + "}");
        check(isNumber(value), name, "has no number: " + value);
        Matcher label = LABEL.matcher(labels);
        int end = 0;
        while (label.find() && label.start() == end) {
            end = label.end();
            String key = label.group(1);
            check(LABEL_NAME.matcher(key).matches(), name, "has a label that is not in snake case: " + key);
            check(!key.equals("le") || part, name, "has the label of a histogram");
            check(!key.equals("quantile"), name, "has the label of a summary");
        }
        check(end == labels.length(), name, "has labels that cannot be read: {" + labels + "}");
    }

    private static boolean isNumber(String value) {
        return value.matches("[+-]?Inf|NaN|-?[0-9]+(\\.[0-9]+)?(E-?[0-9]+)?");
    }

    private void check(boolean good, String name, String what) {
        if (!good) {
            problems.add(name + " " + what);
        }
    }
}
