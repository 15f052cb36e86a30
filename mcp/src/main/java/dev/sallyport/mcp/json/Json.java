package dev.sallyport.mcp.json;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A value with its place in the text from which it was read. Immutable. */
public sealed interface Json {

    /** Where it begins, in bytes; 0 for a value that was not read. */
    int start();

    /** Where it ends. */
    int end();

    /** A string, its escapes resolved. */
    record Text(String value, int start, int end) implements Json {}

    /** A number, as written. */
    record Num(String spelling, int start, int end) implements Json {

        /** Whether it is written as an integer: no fraction, no exponent. */
        public boolean integer() {
            for (int i = 0; i < spelling.length(); i++) {
                char c = spelling.charAt(i);
                if (c == '.' || c == 'e' || c == 'E') {
                    return false;
                }
            }
            return true;
        }

        /** The exact value. */
        public BigDecimal exact() {
            return new BigDecimal(spelling);
        }
    }

    /** {@code true} or {@code false}. */
    record Bool(boolean value, int start, int end) implements Json {}

    /** {@code null}. */
    record Null(int start, int end) implements Json {}

    /** An array. */
    record Arr(List<Json> items, int start, int end) implements Json {}

    /** An object, its members in the order in which they were written. */
    record Obj(Map<String, Json> members, int start, int end) implements Json {

        /** The member of this name, or null. */
        public @Nullable Json get(String name) {
            return members.get(name);
        }
    }

    /**
     * Whether two values are equal as JSON: 1 equals 1.0 but not "1"; the order of members does not matter, the order
     * of items does.
     */
    static boolean same(Json one, Json other) {
        return switch (one) {
            case Text text -> other instanceof Text that && text.value().equals(that.value());
            case Num number -> other instanceof Num that && sameNumber(number, that);
            case Bool truth -> other instanceof Bool that && truth.value() == that.value();
            case Null nothing -> other instanceof Null;
            case Arr array -> other instanceof Arr that && sameItems(array.items(), that.items());
            case Obj object -> other instanceof Obj that && sameMembers(object.members(), that.members());
        };
    }

    private static boolean sameNumber(Num one, Num other) {
        return one.spelling().equals(other.spelling()) || one.exact().compareTo(other.exact()) == 0;
    }

    private static boolean sameItems(List<Json> one, List<Json> other) {
        if (one.size() != other.size()) {
            return false;
        }
        for (int i = 0; i < one.size(); i++) {
            if (!same(one.get(i), other.get(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean sameMembers(Map<String, Json> one, Map<String, Json> other) {
        if (one.size() != other.size()) {
            return false;
        }
        for (Map.Entry<String, Json> member : one.entrySet()) {
            Json that = other.get(member.getKey());
            if (that == null || !same(member.getValue(), that)) {
                return false;
            }
        }
        return true;
    }
}
