package dev.sallyport.toolkit.match;

import org.jspecify.annotations.Nullable;

/**
 * A path-compressed binary trie over address prefixes. Filled by one thread, then read by many after safe publication.
 * A look-up walks from the shortest covering prefix to the longest.
 */
final class CidrTrie<V> {

    private @Nullable TrieNode<V> v4;
    private @Nullable TrieNode<V> v6;

    /** Puts a value, which replaces the range's present one. */
    void put(IpRange range, V value) {
        if (range.v4()) {
            v4 = insert(v4, new TrieNode<>(range.high(), range.low(), range.prefixLength(), value));
        } else {
            v6 = insert(v6, new TrieNode<>(range.high(), range.low(), range.prefixLength(), value));
        }
    }

    /** The root for addresses of this family. */
    @Nullable TrieNode<V> root(boolean family4) {
        return family4 ? v4 : v6;
    }

    boolean isEmpty() {
        return v4 == null && v6 == null;
    }

    private static <V> TrieNode<V> insert(@Nullable TrieNode<V> node, TrieNode<V> added) {
        if (node == null) {
            return added;
        }
        int common = Math.min(Math.min(node.length, added.length), node.commonBits(added.high, added.low));
        if (common == node.length) {
            if (added.length == node.length) {
                node.value = added.value;
            } else if (bit(added.high, added.low, common)) {
                node.one = insert(node.one, added);
            } else {
                node.zero = insert(node.zero, added);
            }
            return node;
        }
        if (common == added.length) {
            added.attach(node);
            return added;
        }
        TrieNode<V> fork =
                new TrieNode<>(added.high & IpRange.mask(common), added.low & IpRange.mask(common - 64), common, null);
        fork.attach(node);
        fork.attach(added);
        return fork;
    }

    private static boolean bit(long high, long low, int position) {
        return ((position < 64 ? high << position : low << (position - 64)) & Long.MIN_VALUE) != 0;
    }

    /** A prefix; {@code value} is null where two prefixes diverge. */
    static final class TrieNode<V> {
        private final long high;
        private final long low;
        private final int length;
        private @Nullable V value;
        private @Nullable TrieNode<V> zero;
        private @Nullable TrieNode<V> one;

        TrieNode(long high, long low, int length, @Nullable V value) {
            this.high = high;
            this.low = low;
            this.length = length;
            this.value = value;
        }

        @Nullable V value() {
            return value;
        }

        boolean covers(long addressHigh, long addressLow) {
            return ((addressHigh ^ high) & IpRange.mask(length)) == 0
                    && ((addressLow ^ low) & IpRange.mask(length - 64)) == 0;
        }

        /** The longer prefix to visit next. */
        @Nullable TrieNode<V> next(long addressHigh, long addressLow) {
            return length == 128 ? null : bit(addressHigh, addressLow, length) ? one : zero;
        }

        private int commonBits(long otherHigh, long otherLow) {
            int bits = Long.numberOfLeadingZeros(high ^ otherHigh);
            return bits < 64 ? bits : 64 + Long.numberOfLeadingZeros(low ^ otherLow);
        }

        private void attach(TrieNode<V> child) {
            if (bit(child.high, child.low, length)) {
                one = child;
            } else {
                zero = child;
            }
        }
    }
}
