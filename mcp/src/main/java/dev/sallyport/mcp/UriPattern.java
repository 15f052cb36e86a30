package dev.sallyport.mcp;

import com.google.re2j.Pattern;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A pattern for URIs of resources. {@code *} stands for characters other than a slash, {@code **} for any. A URI that
 * is not in its plainest form (dot segments, backslashes, percent-encoded dots, slashes and percent signs, control
 * characters) matches no pattern with an asterisk: a server may read another resource for it. Immutable.
 */
final class UriPattern {

    private final String text;
    private final @Nullable Pattern pattern;
    private final long most;

    private UriPattern(String text, @Nullable Pattern pattern, long most) {
        this.text = text;
        this.pattern = pattern;
        this.most = most;
    }

    /** @param most the most bytes of a URI that are compared with a pattern; a longer one does not match */
    static UriPattern of(String text, long most) {
        if (text.indexOf('*') < 0) {
            return new UriPattern(text, null, most);
        }
        StringBuilder expression = new StringBuilder("(?s)\\A");
        int at = 0;
        while (at < text.length()) {
            int star = text.indexOf('*', at);
            expression.append(Pattern.quote(star < 0 ? text.substring(at) : text.substring(at, star)));
            if (star < 0) {
                break;
            }
            boolean any = text.startsWith("**", star);
            expression.append(any ? ".*" : "[^/]*");
            at = star + (any ? 2 : 1);
        }
        return new UriPattern(text, Pattern.compile(expression.append("\\z").toString()), most);
    }

    /** Whether this compares with an expression. */
    boolean hasExpression() {
        return pattern != null;
    }

    boolean matches(String uri) {
        return text.equals(uri)
                || (pattern != null && !ArgumentMatcher.isLonger(uri, most) && plain(uri) && pattern.matches(uri));
    }

    private static boolean plain(String uri) {
        String lower = uri.toLowerCase(Locale.ROOT);
        if (lower.contains("%2e") || lower.contains("%2f") || lower.contains("%5c") || lower.contains("%25")) {
            return false;
        }
        int path = uri.indexOf(':') + 1;
        for (String segment : uri.substring(path).split("[/?#]", -1)) {
            if (segment.equals(".") || segment.equals("..")) {
                return false;
            }
        }
        return uri.chars().allMatch(c -> c > 0x20 && c != '\\' && c != 0x7f);
    }
}
