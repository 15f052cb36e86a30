package dev.sallyport.core.config;

import dev.sallyport.spi.Problems;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Keeps back what a check says only because something else is wrong. What could not be bound has a stand-in, so that a
 * check can tell what it knows about the rest; what it says of the stand-in, or of a field together with it, is noise.
 */
final class FollowUpFilter {

    private final String pointer;

    /** What was wrong before the check. */
    private final List<Wrong> wrong;

    /**
     * Something that is wrong.
     *
     * @param pointer where
     * @param block pointer of what it is a part of
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

        /** Whether it may be why something is said of a place: of itself, or of it together with its neighbours. */
        boolean explains(String place, String text) {
            boolean near = isWithin(place, block) || isWithin(block, place);
            return isWithin(place, pointer) || (near && key.matcher(text).find());
        }

        private static boolean isWithin(String place, String outer) {
            return place.equals(outer) || place.startsWith(outer + "/");
        }
    }

    /** For the check of what was bound at a pointer; to be made before it. */
    FollowUpFilter(String pointer, Findings findings) {
        this.pointer = pointer;
        this.wrong = findings.touchedBelow(pointer).stream().map(Wrong::at).toList();
    }

    /** Whether there is nothing that could be followed up. */
    boolean isEmpty() {
        return wrong.isEmpty();
    }

    /** Passes on what stands on its own. */
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
