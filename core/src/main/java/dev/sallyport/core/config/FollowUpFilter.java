package dev.sallyport.core.config;

import dev.sallyport.spi.Problems;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Suppresses findings that only follow from another problem. A value that could not be bound has a stand-in, so that a
 * check can judge the rest; its findings about the stand-in, or about a field together with it, are noise.
 */
final class FollowUpFilter {

    private final String pointer;

    /** The problems from before the check. */
    private final List<Wrong> wrong;

    /**
     * Something that is wrong.
     *
     * @param pointer where
     * @param block pointer of the enclosing block
     * @param key its key as a word in a message
     */
    private record Wrong(String pointer, String block, Pattern key) {

        static Wrong at(String pointer) {
            String key = Pattern.quote(Pointers.last(pointer));
            return new Wrong(
                    pointer,
                    pointer.substring(0, pointer.lastIndexOf('/')),
                    Pattern.compile("(?<![A-Za-z0-9_])" + key + "(?![A-Za-z0-9_])"));
        }

        /**
         * Whether this problem may be the cause of a finding at a place: about the place itself, or about it together
         * with its neighbours.
         */
        boolean explains(String place, String text) {
            boolean near = isWithin(place, block) || isWithin(block, place);
            return isWithin(place, pointer) || (near && key.matcher(text).find());
        }

        private static boolean isWithin(String place, String outer) {
            return place.equals(outer) || place.startsWith(outer + "/");
        }
    }

    /** Makes a filter for the check of the value at a pointer; to be made before the check. */
    FollowUpFilter(String pointer, Findings findings) {
        this.pointer = pointer;
        List<String> below = findings.touchedBelow(pointer);
        this.wrong = below.isEmpty() ? List.of() : below.stream().map(Wrong::at).toList();
    }

    /** Whether there are no earlier problems. */
    boolean isEmpty() {
        return wrong.isEmpty();
    }

    /** Passes on the findings that do not follow from others. */
    Problems filter(Problems problems) {
        return isEmpty()
                ? problems
                : (relative, message, expected) -> {
                    String place = pointer + Pointers.relative(relative);
                    String text = message + ' ' + expected;
                    if (wrong.stream().noneMatch(other -> other.explains(place, text))) {
                        problems.add(relative, message, expected);
                    }
                };
    }
}
