package dev.sallyport.toolkit.match;

import dev.sallyport.spi.Problems;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A set of address ranges. Immutable and thread-safe; the cost of a look-up does not grow with the number of ranges.
 * A look-up allocates nothing but the copy of the bytes that {@link InetAddress#getAddress} makes, which the JIT
 * compiler removes for IPv4.
 */
public final class CidrSet {

    private final CidrTrie<IpRange> trie = new CidrTrie<>();

    private CidrSet(Iterable<IpRange> ranges) {
        for (IpRange range : ranges) {
            trie.put(range, range);
        }
    }

    /** The set of these ranges. */
    public static CidrSet of(List<IpRange> ranges) {
        return new CidrSet(ranges);
    }

    /**
     * Parses ranges and reports all problems.
     *
     * @param pointer the list's place, such as {@code /cidrs}; problems are reported below it
     * @return the set of the well-formed ones; not to be used when a problem was reported
     */
    public static CidrSet parse(List<String> ranges, Problems problems, String pointer) {
        List<IpRange> parsed = new ArrayList<>(ranges.size());
        for (int i = 0; i < ranges.size(); i++) {
            try {
                parsed.add(IpRange.parse(ranges.get(i)));
            } catch (InvalidPatternException e) {
                e.addTo(problems, pointer + "/" + i);
            }
        }
        return of(parsed);
    }

    /** Whether some range contains this address; an IPv4-mapped one is unmapped first. */
    public boolean contains(InetAddress address) {
        return rangeOf(address) != null;
    }

    /** The widest range that contains this address; null when none does. An IPv4-mapped one is unmapped first. */
    public @Nullable IpRange rangeOf(InetAddress address) {
        byte[] bytes = address.getAddress();
        long high = IpBits.high(bytes);
        long low = IpBits.low(bytes);
        if (bytes.length == 4) {
            return range(true, high, 0);
        }
        return IpBits.mapped(high, low) ? range(true, low << 32, 0) : range(false, high, low);
    }

    /**
     * Whether some range contains this address or one {@linkplain Addresses#embedded embedded} in it. For the dial
     * guard.
     */
    public boolean containsAnyForm(InetAddress address) {
        if (contains(address)) {
            return true;
        }
        for (InetAddress embedded : Addresses.embedded(address)) {
            if (contains(embedded)) {
                return true;
            }
        }
        return false;
    }

    /** Whether there are no ranges. */
    public boolean isEmpty() {
        return trie.isEmpty();
    }

    private @Nullable IpRange range(boolean v4, long high, long low) {
        for (CidrTrie.TrieNode<IpRange> node = trie.root(v4);
                node != null && node.covers(high, low);
                node = node.next(high, low)) {
            IpRange range = node.value();
            if (range != null) {
                return range;
            }
        }
        return null;
    }
}
