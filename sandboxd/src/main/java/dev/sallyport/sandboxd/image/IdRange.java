package dev.sallyport.sandboxd.image;

/**
 * The users and groups of this machine that those of guests are: 0 of a guest is {@code base}.
 *
 * @param base the first; at least 65,536, so that none of them is anybody here
 * @param size how many
 */
public record IdRange(int base, int size) {

    /**
     * What guests have where nothing else is said: above the subordinate ids that Linux distributions give to users (100,000
     * to 600,100,000), and above the range that systemd keeps for containers (to 0x6FFF_FFFF).
     */
    public static final IdRange DEFAULT = new IdRange(0x7000_0000, 65_536);

    /** Checks the range. */
    public IdRange {
        if (base < 65_536 || size < 65_536 || (long) base + size > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("a range of ids that is none: " + base + " and " + size);
        }
    }

    /** Whether ids from {@code start} on, {@code count} of them, are among these. */
    public boolean overlaps(long start, long count) {
        return start < (long) base + size && base < start + count;
    }

    /** A line of {@code uid_map}. */
    String mapping() {
        return "0 " + base + " " + size + "\n";
    }
}
