package dev.sallyport.control.model;

import java.util.List;

/** Checks tags. */
public final class Tags {

    /** What a tag is, in words. */
    public static final String EXPECTED = "1 to 64 characters that can be seen, without control characters";

    private static final int LONGEST = 64;

    private Tags() {}

    /** Whether a text is a tag. */
    public static boolean isTag(String tag) {
        return tag.codePointCount(0, tag.length()) <= LONGEST && Texts.isPrintable(tag);
    }

    /** Reports those that are none. */
    public static void check(String field, List<String> tags, FieldProblems problems) {
        for (int i = 0; i < tags.size(); i++) {
            if (!isTag(tags.get(i))) {
                problems.addUnlessTouched(field + "[" + i + "]", "not a tag (expected: " + EXPECTED + ")");
            }
        }
    }
}
