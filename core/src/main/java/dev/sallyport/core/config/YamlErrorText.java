package dev.sallyport.core.config;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;

/**
 * Describes a YAML syntax error by its remedy rather than by what the parser expected, with the line. Shows only enough
 * of the line to identify it, because its value may be secret.
 *
 * @param line from 1
 * @param column from 1
 */
record YamlErrorText(int line, int column, String message, String expected) {

    private static final int SHOWN = 24;
    private static final Pattern NO_SPACE = Pattern.compile("\\s*(?:- +)?[\\w.-]+:[^\\s/].*");
    private static final Pattern KEY = Pattern.compile("(\\s*(?:- +)*[^:#\"'\\[{]+:)(\\s.*)?");
    private static final Pattern STRAY = Pattern.compile("found character '(.)'");

    /** Explains what the parser found. */
    static YamlErrorText of(MarkedYAMLException fault, String text) {
        return new Reader(fault, text.lines().toList()).explain();
    }

    /** Analyses one fault. */
    private static final class Reader {

        private final String problem;
        private final String context;
        private final @Nullable Mark at;
        private final @Nullable Mark begin;
        private final List<String> lines;

        Reader(MarkedYAMLException fault, List<String> lines) {
            this.problem = fault.getProblem() == null ? "" : fault.getProblem();
            this.context = fault.getContext() == null ? "" : fault.getContext();
            this.at = fault.getProblemMark() == null ? fault.getContextMark() : fault.getProblemMark();
            this.begin = fault.getContextMark();
            this.lines = lines;
        }

        YamlErrorText explain() {
            if (problem.contains("(TAB)")) {
                return here("a tab before the text", "spaces");
            }
            if (context.equals("while scanning an alias") || context.equals("while scanning an anchor")) {
                return there("a value that begins with * or & must be in quotes", "\"*.example.com\", for example");
            }
            Matcher stray = STRAY.matcher(problem);
            if (stray.find()) {
                return here("a value that begins with " + stray.group(1) + " must be in quotes", "quotes around it");
            }
            if (problem.startsWith("mapping values are not allowed")) {
                return secondColon();
            }
            if (problem.startsWith("expected <block end>")) {
                return misplaced();
            }
            if (problem.startsWith("could not find expected ':'")) {
                return there("a line that is neither a key with a colon nor a list item", "key: value");
            }
            if (context.contains("quoted scalar")) {
                return problem.contains("end of stream")
                        ? there("the quote that begins here does not end", "a quote at the end of the value")
                        : here("an unknown escape in double quotes", "single quotes, or two backslashes");
            }
            if (context.startsWith("while parsing a flow")) {
                return there("the bracket that begins here does not end before the next key", "a closing bracket");
            }
            if (problem.startsWith("expected '<document start>'")) {
                return here("indented less than the first line", "all top-level keys at the beginning of their line");
            }
            return here((context.isEmpty() ? "" : context + ": ") + problem, "");
        }

        /** Explains a colon after a value: in this line, or because the line continues the previous one. */
        private YamlErrorText secondColon() {
            int number = number(at);
            int before = before(number);
            if (before > 0 && indentation(number) > indentation(before)) {
                return here(
                        "indented further than line " + before + ", which already has a value",
                        spaces(indentation(before)));
            }
            if (before > 0 && NO_SPACE.matcher(lines.get(before - 1)).matches()) {
                return fault(before, 1, "no space after the colon", "key: value");
            }
            return here("a second colon and space in one value", "quotes around the value");
        }

        /** Explains a line that does not continue its block. */
        private YamlErrorText misplaced() {
            int number = number(at);
            int first = number(begin);
            if (problem.contains("'<scalar>'")) {
                return here("text after the end of a value", "quotes around all of it");
            }
            boolean item = number <= lines.size()
                    && lines.get(number - 1).stripLeading().startsWith("-");
            if (indentation(number) != column(begin) - 1) {
                int enclosing = column(begin) - 1;
                return here(
                        "indented by " + indentation(number) + ", which matches no line above",
                        spaces(enclosing) + " as in line " + first);
            }
            return item
                    ? here("an item of a list among the keys that begin in line " + first, "key: value")
                    : here(
                            "a key among the items of the list that begins in line " + first,
                            "another indentation, or -");
        }

        private static String spaces(int count) {
            return count + (count == 1 ? " space" : " spaces");
        }

        private YamlErrorText here(String message, String expected) {
            return fault(number(at), column(at), message, expected);
        }

        private YamlErrorText there(String message, String expected) {
            Mark mark = begin == null ? at : begin;
            return fault(number(mark), column(mark), message, expected);
        }

        private YamlErrorText fault(int number, int column, String message, String expected) {
            return new YamlErrorText(number, column, "not well-formed YAML: " + message + shown(number), expected);
        }

        /** The line without its value. */
        private String shown(int number) {
            if (number > lines.size()) {
                return "";
            }
            String line = lines.get(number - 1).stripTrailing();
            Matcher key = KEY.matcher(line);
            String text = key.matches() ? key.group(1) + (key.group(2) == null ? "" : " ...") : begun(line);
            return text.isBlank() ? "" : ", in \"" + text.replace("\t", "\\t") + "\"";
        }

        private static String begun(String line) {
            int indentation = line.length() - line.stripLeading().length();
            return line.length() - indentation <= SHOWN ? line : line.substring(0, indentation + SHOWN / 2) + " ...";
        }

        private static int number(@Nullable Mark mark) {
            return mark == null ? 1 : mark.getLine() + 1;
        }

        private static int column(@Nullable Mark mark) {
            return mark == null ? 1 : mark.getColumn() + 1;
        }

        /** The last non-empty line before this one; 0 when there is none. */
        private int before(int number) {
            for (int i = Math.min(number - 1, lines.size()); i > 0; i--) {
                String line = lines.get(i - 1).strip();
                if (!line.isEmpty() && !line.startsWith("#")) {
                    return i;
                }
            }
            return 0;
        }

        private int indentation(int number) {
            if (number > lines.size()) {
                return 0;
            }
            String line = lines.get(number - 1);
            return line.length() - line.stripLeading().length();
        }
    }
}
