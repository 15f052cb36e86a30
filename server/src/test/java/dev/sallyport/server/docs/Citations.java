package dev.sallyport.server.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds what a file cites of the documentation, and resolves it. The one form is {@code docs/spec/decisions.md, section 6},
 * with {@code sections 2 and 2a} for several, a heading without a number in quotation marks ({@code section "tls"}), and
 * {@code law 1} or {@code rules 7 and 8} behind a section with numbered points. It may go over line breaks of comments.
 * In Markdown links are resolved too, and a page of the specification may cite its own sections by number alone.
 */
final class Citations {

    private static final String GAP = "\\s+(?:(?:\\*|//|#)\\s+)?";
    private static final String NUMBER = "\\d+[a-z]?\\b";
    private static final String NUMBERS = NUMBER + "(?:," + GAP + NUMBER + ")*(?:" + GAP + "and" + GAP + NUMBER + ")?";
    private static final String NAMES = "\"[^\"\\n]+\"(?:" + GAP + "and" + GAP + "\"[^\"\\n]+\")?";

    private static final Pattern PAGE = Pattern.compile("\\bdocs/[\\w-]+(?:/[\\w-]+)*\\.md\\b");
    private static final Pattern SECTIONS =
            Pattern.compile("," + GAP + "sections?" + GAP + "(" + NUMBERS + "|" + NAMES + ")");
    private static final Pattern POINTS = Pattern.compile("," + GAP + "(?:law|rule)s?" + GAP + "(" + NUMBERS + ")");
    private static final Pattern ITEM = Pattern.compile("\"([^\"]+)\"|(" + NUMBER + ")");

    /** A section or law of which nothing says where it stands. Those of RFCs are somebody else's. */
    private static final Pattern LOOSE =
            Pattern.compile("(?<!RFC \\d{1,5},[\\s*/#]{1,24})(?i:\\bsections?|\\blaws?)" + GAP + "(" + NUMBERS + ")");

    /** A page without its folder. */
    private static final Pattern BARE = Pattern.compile("(?i:(?<![\\w/.-])(?:decisions|design|proxy-config|policy-api"
            + "|resource-api)(?:\\.md\\b|(?=," + GAP + "sections?\\b)))|\\bDESIGN\\b");

    private static final Pattern LINK =
            Pattern.compile("\\[[^\\[\\]]*+(?:\\[[^\\[\\]]*+][^\\[\\]]*+)*+]\\(([^)\\s]+)\\)");
    private static final Pattern ELSEWHERE = Pattern.compile("[a-z][a-z0-9+.-]*:.*");

    private final Path root;
    private final Map<Path, Page> pages = new HashMap<>();

    Citations(Path root) {
        this.root = root;
    }

    /**
     * What is wrong with the citations of one file, as {@code file:line: what}.
     *
     * @param name the path of the file from the root, with {@code /}
     */
    List<String> faults(String name, String text) throws IOException {
        return new Reading(name, text).read();
    }

    private boolean isPage(String path) {
        return Files.isRegularFile(root.resolve(path));
    }

    private Page page(String path) throws IOException {
        Path file = root.resolve(path).normalize();
        Page page = pages.get(file);
        if (page == null) {
            page = Page.of(Files.readString(file));
            pages.put(file, page);
        }
        return page;
    }

    /** Whether the page is cited by section: mentioning it as a whole would say little. */
    private static boolean hasSections(String page) {
        return page.equals("docs/design.md") || (page.startsWith("docs/spec/") && !page.endsWith("/README.md"));
    }

    /** One pass over one file; what has been understood is taken out of the text. */
    private final class Reading {

        private final String name;
        private final boolean markdown;
        private final StringBuilder text;
        private final List<String> faults = new ArrayList<>();

        Reading(String name, String text) {
            this.name = name;
            this.markdown = name.endsWith(".md");
            this.text = new StringBuilder(markdown ? Page.withoutCode(text) : text);
        }

        List<String> read() throws IOException {
            if (markdown) {
                links();
            }
            citations();
            loose();
            Matcher bare = BARE.matcher(text.toString());
            while (bare.find()) {
                fault(bare.start(), bare.group() + ": no page (expected: such as docs/spec/decisions.md, section 6)");
            }
            return faults;
        }

        private void links() throws IOException {
            Matcher link = LINK.matcher(text.toString());
            while (link.find()) {
                String target = link.group(1);
                if (!ELSEWHERE.matcher(target).matches()) {
                    resolve(link.start(), target);
                }
                takeOut(link.start(), link.end());
            }
        }

        private void resolve(int at, String target) throws IOException {
            int hash = target.indexOf('#');
            String path = hash < 0 ? target : target.substring(0, hash);
            Path file = path.isEmpty() ? Path.of(name) : Path.of(name).resolveSibling(path);
            if (!Files.exists(root.resolve(file).normalize())) {
                fault(at, target + ": no such file");
            } else if (hash >= 0 && file.toString().endsWith(".md")) {
                if (!page(file.toString()).anchors().contains(target.substring(hash + 1))) {
                    fault(at, target + ": no such heading");
                }
            }
        }

        private void citations() throws IOException {
            String all = text.toString();
            Matcher cited = PAGE.matcher(all);
            while (cited.find()) {
                String page = cited.group();
                Matcher sections = SECTIONS.matcher(all).region(cited.end(), all.length());
                int end = cited.end();
                if (!isPage(page)) {
                    fault(cited.start(), page + ": no such page");
                } else if (sections.lookingAt()) {
                    end = sections.end();
                    List<String> items = items(sections.group(1));
                    sections(cited.start(), page, items);
                    Matcher points = POINTS.matcher(all).region(end, all.length());
                    if (points.lookingAt()) {
                        end = points.end();
                        points(cited.start(), page, items.getLast(), items(points.group(1)));
                    }
                } else if (hasSections(page) && !markdown) {
                    fault(cited.start(), page + ": no section (expected: such as " + page + ", section 6)");
                }
                takeOut(cited.start(), end);
            }
        }

        private void loose() throws IOException {
            Matcher loose = LOOSE.matcher(text.toString());
            while (loose.find()) {
                if (markdown && hasSections(name) && isPage(name)) {
                    sections(loose.start(), name, items(loose.group(1)));
                } else {
                    fault(loose.start(), loose.group() + ": of which page?");
                }
            }
        }

        private void sections(int at, String page, List<String> items) throws IOException {
            for (String item : items) {
                if (!page(page).sections().contains(item)) {
                    fault(at, page + ": no section " + item);
                }
            }
        }

        private void points(int at, String page, String section, List<String> items) throws IOException {
            int most = page(page).points().getOrDefault(section, 0);
            for (String item : items) {
                if (!item.matches("[1-9]\\d{0,3}") || Integer.parseInt(item) > most) {
                    fault(at, page + ", section " + section + ": no point " + item);
                }
            }
        }

        private List<String> items(String list) {
            return ITEM.matcher(list)
                    .results()
                    .map(item -> item.group(1) != null ? item.group(1) : item.group(2))
                    .toList();
        }

        private void fault(int at, String what) {
            long line = 1 + text.substring(0, at).chars().filter(c -> c == '\n').count();
            faults.add(name + ":" + line + ": " + what.replaceAll("\\s+", " "));
        }

        private void takeOut(int from, int to) {
            for (int i = from; i < to; i++) {
                if (text.charAt(i) != '\n') {
                    text.setCharAt(i, ' ');
                }
            }
        }
    }
}
