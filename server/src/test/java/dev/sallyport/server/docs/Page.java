package dev.sallyport.server.docs;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What can be cited of a Markdown page.
 *
 * @param sections the numbers of headings that have one ({@code 2a}), the whole text of the others
 * @param points how many points of a numbered list a section has
 * @param anchors the fragments that links to headings have
 */
record Page(Set<String> sections, Map<String, Integer> points, Set<String> anchors) {

    private static final Pattern HEADING = Pattern.compile("#{1,6} +(.*?) *");
    private static final Pattern NUMBERED = Pattern.compile("(\\d+[a-z]?)\\. .*");
    private static final Pattern POINT = Pattern.compile("(\\d+)\\. .*");
    private static final Pattern NOT_IN_ANCHORS = Pattern.compile("[^\\p{L}\\p{N} _-]");

    static Page of(String text) {
        Set<String> sections = new HashSet<>();
        Map<String, Integer> points = new HashMap<>();
        Set<String> anchors = new HashSet<>();
        String section = "";
        for (String line : withoutCode(text).split("\n", -1)) {
            Matcher heading = HEADING.matcher(line);
            Matcher point = POINT.matcher(line);
            if (heading.matches()) {
                Matcher numbered = NUMBERED.matcher(heading.group(1));
                section = numbered.matches() ? numbered.group(1) : heading.group(1);
                sections.add(section);
                addAnchor(anchors, heading.group(1));
            } else if (point.matches()) {
                points.merge(section, Integer.parseInt(point.group(1)), Math::max);
            }
        }
        return new Page(sections, points, anchors);
    }

    /** The text with spaces in place of fenced code, so that places stay what they are. */
    static String withoutCode(String text) {
        StringBuilder out = new StringBuilder(text.length());
        boolean code = false;
        for (String line : text.split("(?<=\n)", -1)) {
            boolean fence = line.stripLeading().startsWith("```");
            out.append(code || fence ? line.replaceAll("[^\n]", " ") : line);
            code ^= fence;
        }
        return out.toString();
    }

    private static void addAnchor(Set<String> anchors, String heading) {
        String anchor = NOT_IN_ANCHORS
                .matcher(heading.toLowerCase(Locale.ROOT))
                .replaceAll("")
                .replace(' ', '-');
        String free = anchor;
        for (int i = 1; anchors.contains(free); i++) {
            free = anchor + "-" + i;
        }
        anchors.add(free);
    }
}
