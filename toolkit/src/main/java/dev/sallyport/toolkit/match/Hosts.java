package dev.sallyport.toolkit.match;

import java.net.IDN;

/**
 * The canonical form of hosts: ASCII lower case, A-labels, one trailing dot removed, no brackets; addresses as strict
 * dotted quads or as RFC 5952 writes them, IPv4-mapped ones unmapped. Everything that is compared, resolved, dialled or
 * audited is in this form. Pure functions.
 *
 * <p>Names are letters, digits, hyphens and underscores in labels of 1 to 63 characters, 253 in all. A name whose last
 * label is a number ({@code 127.1}, {@code 2130706433}, {@code 0x7f.1}) is refused, because some resolvers read it as
 * an address (compare "ends in a number" in the URL standard). No later layer can then do so.
 *
 * <p>Internationalised names go through {@link IDN} (IDNA 2003, Unicode 3.2, unassigned code points refused).
 * Characters that IDNA 2003 and IDNA 2008 map to different names (sharp s, final sigma, the zero-width joiners) are
 * refused: such a name, and one in a newer script, must be given as A-labels, which are always accepted.
 */
public final class Hosts {

    static final int MAX_NAME = 253;
    static final int MAX_LABEL = 63;

    private static final String NAME = "labels of letters, digits, '-' and '_' separated by dots";
    private static final String IP = "an address such as 192.0.2.1 or 2001:db8::1";

    private Hosts() {}

    /**
     * The canonical form of a host without port. Brackets are accepted only around an IPv6 address. A name or dotted
     * quad that is already canonical is returned unchanged, without an allocation.
     *
     * @throws InvalidHostException when it is not a host
     */
    public static String canonical(String host) {
        return isCanonicalName(host) ? host : canonicalise(host);
    }

    /** Whether a canonical host is an address and not a name. */
    public static boolean isLiteral(String canonicalHost) {
        int last = canonicalHost.length() - 1;
        return canonicalHost.indexOf(':') >= 0
                || (last >= 0
                        && IpBits.isDigit(canonicalHost.charAt(last))
                        && IpBits.v4(canonicalHost, 0, last + 1) >= 0);
    }

    private static String canonicalise(String host) {
        boolean bracketed = host.startsWith("[");
        if (bracketed && !host.endsWith("]")) {
            throw new InvalidHostException("unbalanced brackets around a host", IP);
        }
        if (bracketed || host.indexOf(':') >= 0) {
            return canonicalV6(host, bracketed ? 1 : 0, host.length() - (bracketed ? 1 : 0));
        }
        String name = lowerCase(toAscii(host));
        if (name.endsWith(".")) {
            name = name.substring(0, name.length() - 1);
        }
        if (!isCanonicalName(name)) {
            throw fault(name);
        }
        return name;
    }

    private static String canonicalV6(String host, int from, int to) {
        if (host.indexOf('%') >= 0) {
            throw new InvalidHostException("an address with a zone", IP);
        }
        long[] bits = new long[2];
        if (!IpBits.v6(host, from, to, bits)) {
            throw new InvalidHostException("not an IPv6 address", IP);
        }
        if (IpBits.mapped(bits[0], bits[1])) {
            return IpBits.text((int) bits[1]);
        }
        String text = IpBits.text(bits[0], bits[1]);
        return text.equals(host) ? host : text;
    }

    /** A label or a whole name in ASCII; keeps the case where nothing was converted. */
    static String toAscii(String name) {
        for (int i = 0; i < name.length(); i++) {
            if (name.charAt(i) >= 0x80) {
                return convert(name);
            }
        }
        return name;
    }

    private static String convert(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c == '\u00DF' || c == '\u03C2' || c == '\u200C' || c == '\u200D') {
                throw new InvalidHostException(
                        "a character whose A-label depends on the version of IDNA", "the name as A-labels (xn--...)");
            }
        }
        if (name.length() > MAX_NAME + 1) {
            throw new InvalidHostException("a host name of more than 253 characters", NAME);
        }
        try {
            return IDN.toASCII(name);
        } catch (IllegalArgumentException e) {
            InvalidHostException fault =
                    new InvalidHostException("a host name that has no A-label form", "the name as A-labels (xn--...)");
            fault.initCause(e);
            throw fault;
        }
    }

    static String lowerCase(String ascii) {
        for (int i = 0; i < ascii.length(); i++) {
            char c = ascii.charAt(i);
            if (c >= 'A' && c <= 'Z') {
                return lowerCaseFrom(ascii, i);
            }
        }
        return ascii;
    }

    private static String lowerCaseFrom(String ascii, int first) {
        char[] chars = ascii.toCharArray();
        for (int i = first; i < chars.length; i++) {
            if (chars[i] >= 'A' && chars[i] <= 'Z') {
                chars[i] = (char) (chars[i] + 'a' - 'A');
            }
        }
        return new String(chars);
    }

    /** Whether this is a name in its canonical form, or a dotted quad. */
    static boolean isCanonicalName(String host) {
        int length = host.length();
        if (length == 0 || length > MAX_NAME) {
            return false;
        }
        int label = 0;
        for (int i = 0; i < length; i++) {
            char c = host.charAt(i);
            if (c == '.') {
                if (i == label || i - label > MAX_LABEL) {
                    return false;
                }
                label = i + 1;
            } else if (!isNameCharacter(c)) {
                return false;
            }
        }
        if (label == length || length - label > MAX_LABEL) {
            return false;
        }
        return !isNumber(host, label, length) || IpBits.v4(host, 0, length) >= 0;
    }

    static boolean isNameCharacter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    }

    /** Whether a label reads as a number in an IPv4 address: decimal or octal digits, or 0x and hexadecimal ones. */
    static boolean isNumber(String host, int from, int to) {
        if (from == to || !IpBits.isDigit(host.charAt(from))) {
            return false;
        }
        boolean hex = to - from >= 2 && host.charAt(from) == '0' && host.charAt(from + 1) == 'x';
        for (int i = hex ? from + 2 : from; i < to; i++) {
            char c = host.charAt(i);
            if (!IpBits.isDigit(c) && !(hex && c >= 'a' && c <= 'f')) {
                return false;
            }
        }
        return true;
    }

    private static InvalidHostException fault(String name) {
        if (name.isEmpty()) {
            return new InvalidHostException("an empty host", NAME);
        }
        if (name.length() > MAX_NAME) {
            return new InvalidHostException("a host name of more than 253 characters", NAME);
        }
        int label = 0;
        for (int i = 0; i <= name.length(); i++) {
            char c = i < name.length() ? name.charAt(i) : '.';
            if (c != '.' && !isNameCharacter(c)) {
                return new InvalidHostException("a character that no host name has", NAME);
            }
            if (c == '.') {
                if (i == label) {
                    return new InvalidHostException("an empty label in a host name", NAME);
                }
                if (i - label > MAX_LABEL) {
                    return new InvalidHostException("a label of more than 63 characters in a host name", NAME);
                }
                label = i + 1;
            }
        }
        return new InvalidHostException("a host that ends in a number but is not an address", IP);
    }
}
