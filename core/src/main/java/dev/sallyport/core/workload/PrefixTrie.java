package dev.sallyport.core.workload;

import dev.sallyport.toolkit.match.IpRange;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Values by address prefix: a binary trie in which paths without branches are one node (Morrison's PATRICIA). Immutable;
 * a changed copy shares all nodes but those on the way to the change. A look-up allocates nothing and costs a
 * comparison a node, of which there are some 14 on the way among 10,000 prefixes.
 */
final class PrefixTrie<V> {

    private final @Nullable Node<V> v4;
    private final @Nullable Node<V> v6;

    private record Node<V>(
            long high,
            long low,
            int length,
            @Nullable V value,
            @Nullable Node<V> zero,
            @Nullable Node<V> one) {

        boolean covers(long otherHigh, long otherLow) {
            return ((otherHigh ^ high) & mask(length)) == 0 && ((otherLow ^ low) & mask(length - Long.SIZE)) == 0;
        }

        @Nullable Node<V> next(long otherHigh, long otherLow) {
            return bit(otherHigh, otherLow, length) ? one : zero;
        }

        Node<V> with(@Nullable V other) {
            return new Node<>(high, low, length, other, zero, one);
        }

        Node<V> with(boolean at, @Nullable Node<V> child) {
            return at
                    ? new Node<>(high, low, length, value, zero, child)
                    : new Node<>(high, low, length, value, child, one);
        }

        /** This node, or what is left of it: one that holds nothing and does not branch is none. */
        @Nullable Node<V> compact() {
            return value != null || (zero != null && one != null) ? this : zero == null ? one : zero;
        }
    }

    private PrefixTrie(@Nullable Node<V> v4, @Nullable Node<V> v6) {
        this.v4 = v4;
        this.v6 = v6;
    }

    static <V> PrefixTrie<V> empty() {
        return new PrefixTrie<>(null, null);
    }

    private static long mask(int length) {
        return length <= 0 ? 0 : length >= Long.SIZE ? -1 : -1L << (Long.SIZE - length);
    }

    private static boolean bit(long high, long low, int position) {
        long word = position < Long.SIZE ? high : low;
        return (word >>> (Long.SIZE - 1 - (position & (Long.SIZE - 1))) & 1) != 0;
    }

    /** The value of the longest prefix that holds this address, or null. */
    @Nullable V longest(SourceAddress address) {
        V best = null;
        int bits = address.v4() ? Integer.SIZE : 2 * Long.SIZE;
        Node<V> node = address.v4() ? v4 : v6;
        while (node != null && node.covers(address.high(), address.low())) {
            if (node.value() != null) {
                best = node.value();
            }
            node = node.length() == bits ? null : node.next(address.high(), address.low());
        }
        return best;
    }

    /** The value of this very prefix, or null. */
    @Nullable V exact(IpRange prefix) {
        Node<V> node = prefix.v4() ? v4 : v6;
        while (node != null && node.length() < prefix.prefixLength() && node.covers(prefix.high(), prefix.low())) {
            node = node.next(prefix.high(), prefix.low());
        }
        if (node == null || node.length() != prefix.prefixLength()) {
            return null;
        }
        return node.high() == prefix.high() && node.low() == prefix.low() ? node.value() : null;
    }

    /** A copy in which the value of this very prefix is what {@code change} makes of it; null stands for none. */
    PrefixTrie<V> with(IpRange prefix, UnaryOperator<@Nullable V> change) {
        return prefix.v4()
                ? new PrefixTrie<>(changed(v4, prefix, change), v6)
                : new PrefixTrie<>(v4, changed(v6, prefix, change));
    }

    private static <V> @Nullable Node<V> changed(
            @Nullable Node<V> node, IpRange prefix, UnaryOperator<@Nullable V> change) {
        int length = prefix.prefixLength();
        if (node == null) {
            return leaf(prefix, change);
        }
        int common = Math.min(Math.min(node.length(), length), equalBits(node, prefix));
        if (common == node.length() && common == length) {
            return node.with(change.apply(node.value())).compact();
        }
        if (common == node.length()) {
            boolean at = bit(prefix.high(), prefix.low(), common);
            Node<V> below = at ? node.one() : node.zero();
            return node.with(at, changed(below, prefix, change)).compact();
        }
        Node<V> made = leaf(prefix, change);
        if (made == null) {
            return node;
        }
        boolean nodeAt = bit(node.high(), node.low(), common);
        if (common == length) {
            return made.with(nodeAt, node);
        }
        Node<V> fork = new Node<>(
                prefix.high() & mask(common), prefix.low() & mask(common - Long.SIZE), common, null, null, null);
        return fork.with(nodeAt, node).with(!nodeAt, made);
    }

    private static <V> @Nullable Node<V> leaf(IpRange prefix, UnaryOperator<@Nullable V> change) {
        V value = change.apply(null);
        return value == null ? null : new Node<>(prefix.high(), prefix.low(), prefix.prefixLength(), value, null, null);
    }

    private static <V> int equalBits(Node<V> node, IpRange prefix) {
        int first = Long.numberOfLeadingZeros(node.high() ^ prefix.high());
        return first < Long.SIZE ? first : Long.SIZE + Long.numberOfLeadingZeros(node.low() ^ prefix.low());
    }
}
