package dev.sallyport.toolkit.match;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * A range of addresses: a network in CIDR notation (RFC 4632, RFC 4291), or a single address. A value; immutable. A
 * range of IPv4-mapped addresses equals the corresponding IPv4 range. Families do not mix: {@code ::/0} contains no
 * IPv4 address.
 */
public final class IpRange {

    private static final String EXPECTED = "a range such as 10.0.0.0/8 or 2001:db8::/32, or an address";

    private final boolean v4;
    private final long high;
    private final long low;
    private final int length;

    private IpRange(boolean v4, long high, long low, int length) {
        this.v4 = v4;
        this.high = high;
        this.low = low;
        this.length = length;
    }

    /**
     * Parses a range strictly. An address alone is a range of one.
     *
     * @throws InvalidPatternException when it is malformed, or bits are set after the prefix; the expected text then
     *     names the network that was probably intended
     */
    public static IpRange parse(String text) {
        int slash = text.indexOf('/');
        int end = slash < 0 ? text.length() : slash;
        if (text.indexOf('%') >= 0) {
            throw new InvalidPatternException("an address with a zone", EXPECTED);
        }
        long bits4 = IpBits.v4(text, 0, end);
        if (bits4 >= 0) {
            return network(true, bits4 << 32, 0, prefix(text, slash, 32));
        }
        long[] bits = new long[2];
        if (!IpBits.v6(text, 0, end, bits)) {
            throw new InvalidPatternException("not an address range", EXPECTED);
        }
        int prefix = prefix(text, slash, 128);
        return IpBits.mapped(bits[0], bits[1]) && prefix >= 96
                ? network(true, bits[1] << 32, 0, prefix - 96)
                : network(false, bits[0], bits[1], prefix);
    }

    private static int prefix(String text, int slash, int max) {
        if (slash < 0) {
            return max;
        }
        int digits = text.length() - slash - 1;
        boolean number = digits >= 1 && digits <= 3 && (digits == 1 || text.charAt(slash + 1) != '0');
        int prefix = 0;
        for (int i = slash + 1; number && i < text.length(); i++) {
            number = IpBits.isDigit(text.charAt(i));
            prefix = prefix * 10 + text.charAt(i) - '0';
        }
        if (!number || prefix > max) {
            throw new InvalidPatternException("a prefix length out of range", "0 to " + max);
        }
        return prefix;
    }

    private static IpRange network(boolean v4, long high, long low, int length) {
        IpRange meant = new IpRange(v4, high & mask(length), low & mask(length - 64), length);
        if (meant.high != high || meant.low != low) {
            throw new InvalidPatternException("bits are set after the prefix of a range", meant.toString());
        }
        return meant;
    }

    /** A long whose first {@code length} bits are set. */
    static long mask(int length) {
        return length <= 0 ? 0 : length >= 64 ? -1 : -1L << (64 - length);
    }

    /** Whether the range contains this address; an IPv4-mapped one is unmapped first. */
    public boolean contains(InetAddress address) {
        byte[] bytes = address.getAddress();
        long addressHigh = IpBits.high(bytes);
        long addressLow = IpBits.low(bytes);
        if (bytes.length == 4 || IpBits.mapped(addressHigh, addressLow)) {
            long bits = bytes.length == 4 ? addressHigh : addressLow << 32;
            return v4 && ((bits ^ high) & mask(length)) == 0;
        }
        return !v4 && ((addressHigh ^ high) & mask(length)) == 0 && ((addressLow ^ low) & mask(length - 64)) == 0;
    }

    /** Whether this range contains the other. Two ranges are either nested or disjoint. */
    boolean contains(IpRange other) {
        return v4 == other.v4
                && length <= other.length
                && ((other.high ^ high) & mask(length)) == 0
                && ((other.low ^ low) & mask(length - 64)) == 0;
    }

    /** Whether it is a range of IPv4. */
    public boolean v4() {
        return v4;
    }

    /** The first 64 bits of the network; of IPv4 its 32 bits, followed by zeros. */
    public long high() {
        return high;
    }

    /** The last 64 bits of the network; of IPv4 zero. */
    public long low() {
        return low;
    }

    /** The length of the prefix. */
    public int prefixLength() {
        return length;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof IpRange that
                && v4 == that.v4
                && high == that.high
                && low == that.low
                && length == that.length;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(high * 31 + low) * 31 + length;
    }

    /** The range in canonical CIDR notation. */
    @Override
    public String toString() {
        return (v4 ? IpBits.text((int) (high >>> 32)) : IpBits.text(high, low)) + "/" + length;
    }
}
