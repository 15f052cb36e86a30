package dev.sallyport.control.model;

import java.util.List;

/** Checks tags. */
public final class Tags {

    private static final int LONGEST = 64;

    private Tags() {}

    /** Reports those that are none. */
    public static void check(String field, List<String> tags, FieldProblems problems) {
        for (int i = 0; i < tags.size(); i++) {
            String tag = tags.get(i);
            boolean printable = tag.chars().noneMatch(c -> c < ' ' || c == 0x7F);
            if (tag.isBlank() || tag.codePointCount(0, tag.length()) > LONGEST || !printable) {
                problems.addUnlessTouched(
                        field + "[" + i + "]", "not a tag (expected: 1 to 64 characters without control characters)");
            }
        }
    }
}
