package dev.sallyport.toolkit.match;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A host pattern. {@code *} is any host, addresses included. A leading {@code *.} is every subdomain at any depth and
 * the apex. Any other {@code *} is a run of characters inside one label, {@code ?} one character; so
 * {@code ?*.example.com} is exactly one label below {@code example.com}. Without wildcards a pattern is one name, or one
 * address. Patterns other than {@code *} and addresses match names only: addresses have no labels.
 *
 * <p>Patterns are made canonical as {@linkplain Hosts#canonical hosts} are; a label that holds a wildcard must be ASCII.
 * Immutable.
 */
public final class HostGlob {

    private static final String EXPECTED = "a host such as api.example.com, *.example.com or *";

    private final String text;
    private final Kind kind;
    /**
     * From the last to the first, without the leading {@code *}; null where they are those of the text, until somebody asks.
     * Two threads may both find them.
     */
    private @Nullable List<String> labels;

    enum Kind {
        /** {@code *}. */
        ANY,
        /** An address. */
        LITERAL,
        /** As many labels as the pattern has. */
        EXACT,
        /** A leading {@code *.}. */
        OPEN
    }

    private HostGlob(String text, Kind kind, @Nullable List<String> labels) {
        this.text = text;
        this.kind = kind;
        this.labels = labels;
    }

    /**
     * Parses a pattern.
     *
     * @throws InvalidPatternException when it is malformed, or could never match as it was probably meant
     */
    public static HostGlob parse(String pattern) {
        if (pattern.equals("*")) {
            return new HostGlob(pattern, Kind.ANY, List.of());
        }
        if (Hosts.isCanonicalName(pattern)) { // most are: there is nothing else to look for
            return canonical(pattern);
        }
        checkForm(pattern);
        if (!Glob.hasWildcard(pattern)) {
            return plain(pattern);
        }
        String relative = pattern.endsWith(".") ? pattern.substring(0, pattern.length() - 1) : pattern;
        List<String> labels = new ArrayList<>();
        for (String label : relative.split("\\.", -1)) {
            labels.add(label(label));
        }
        String text = String.join(".", labels);
        if (text.length() > Hosts.MAX_NAME) {
            throw new InvalidPatternException("a host pattern of more than 253 characters", EXPECTED);
        }
        checkNotAddresses(labels);
        boolean open = labels.get(0).equals("*");
        if (open) {
            labels.remove(0);
        }
        if (labels.isEmpty()) {
            throw new InvalidPatternException("an empty label in a host pattern", "* for any host");
        }
        Collections.reverse(labels);
        return new HostGlob(text, open ? Kind.OPEN : Kind.EXACT, List.copyOf(labels));
    }

    private static void checkForm(String pattern) {
        if (pattern.contains("://")) {
            throw new InvalidPatternException("a URL scheme in a host pattern", EXPECTED);
        }
        if (pattern.indexOf('/') >= 0) {
            throw new InvalidPatternException(
                    "a slash in a host pattern", "a host; paths go under paths, address ranges under cidr");
        }
        if (pattern.indexOf('@') >= 0) {
            throw new InvalidPatternException("user information in a host pattern", EXPECTED);
        }
        if (pattern.contains("**")) {
            throw new InvalidPatternException(
                    "** in a host pattern", "*.example.com for any depth, * inside one label");
        }
        boolean address = IpBits.v6(pattern, 0, pattern.length(), new long[2]);
        if ((!pattern.startsWith("[") && pattern.indexOf(':') >= 0 && !address) || pattern.contains("]:")) {
            throw new InvalidPatternException("a port in a host pattern", "a host; ports go under ports");
        }
    }

    private static HostGlob plain(String pattern) {
        try {
            return canonical(Hosts.canonical(pattern));
        } catch (InvalidHostException e) {
            throw new InvalidPatternException(e.reason(), e.expected());
        }
    }

    private static HostGlob canonical(String host) {
        return Hosts.isLiteral(host)
                ? new HostGlob(host, Kind.LITERAL, List.of())
                : new HostGlob(host, Kind.EXACT, null);
    }

    private static List<String> fromTheLast(String host) {
        List<String> labels = new ArrayList<>(4);
        int end = host.length();
        while (end >= 0) {
            int dot = host.lastIndexOf('.', end - 1);
            labels.add(host.substring(dot + 1, end));
            end = dot;
        }
        return List.copyOf(labels);
    }

    private static String label(String raw) {
        if (raw.isEmpty()) {
            throw new InvalidPatternException("an empty label in a host pattern", EXPECTED);
        }
        String label;
        try {
            label = Hosts.lowerCase(Glob.hasWildcard(raw) ? raw : Hosts.toAscii(raw));
        } catch (InvalidHostException e) {
            throw new InvalidPatternException(e.reason(), e.expected());
        }
        for (int i = 0; i < label.length(); i++) {
            char c = label.charAt(i);
            if (c >= 0x80) {
                throw new InvalidPatternException(
                        "a wildcard in a label that is not ASCII", "the label as A-label (xn--...)");
            }
            if (!Hosts.isNameCharacter(c) && !Glob.isWildcard(c)) {
                throw new InvalidPatternException("a character that no host name has in a host pattern", EXPECTED);
            }
        }
        if (label.length() > Hosts.MAX_LABEL) {
            throw new InvalidPatternException("a label of more than 63 characters in a host pattern", EXPECTED);
        }
        return label;
    }

    /** Refuses what looks like a range of addresses: it would match names such as {@code 10.0.0.com}, and no address. */
    private static void checkNotAddresses(List<String> labels) {
        String last = labels.get(labels.size() - 1);
        boolean numbers = true;
        boolean number = false;
        for (String label : labels) {
            number |= label.chars().allMatch(c -> IpBits.isDigit((char) c));
            numbers &= label.chars().allMatch(c -> IpBits.isDigit((char) c) || Glob.isWildcard((char) c));
        }
        if (Hosts.isNumber(last, 0, last.length()) || (numbers && number)) {
            throw new InvalidPatternException(
                    "wildcards in an address", "cidr with a range such as 10.0.0.0/8, or one address");
        }
    }

    /** Whether a canonical host matches. */
    public boolean matches(String canonicalHost) {
        return switch (kind) {
            case ANY -> true;
            case LITERAL -> text.equals(canonicalHost);
            case EXACT, OPEN -> !Hosts.isLiteral(canonicalHost) && matchesName(canonicalHost);
        };
    }

    private boolean matchesName(String name) {
        int end = name.length();
        for (String label : labels()) {
            if (end < 0) {
                return false;
            }
            int dot = name.lastIndexOf('.', end - 1);
            if (!Glob.matches(label, name, dot + 1, end)) {
                return false;
            }
            end = dot;
        }
        return kind == Kind.OPEN || end < 0;
    }

    /** The pattern in canonical form. */
    public String text() {
        return text;
    }

    Kind kind() {
        return kind;
    }

    List<String> labels() {
        List<String> known = labels;
        if (known == null) {
            known = fromTheLast(text);
            labels = known;
        }
        return known;
    }
}
