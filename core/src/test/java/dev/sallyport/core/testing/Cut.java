package dev.sallyport.core.testing;

/** Ways to cut an input into pieces, as a network may. They depend on nothing but the input. */
public enum Cut {
    /** All at once. */
    WHOLE,
    /** Byte by byte. */
    BYTES,
    /** Into pieces of one to 48 bytes, by what stands at their beginning. */
    PIECES;

    /** Where the piece ends that begins here. */
    public int end(byte[] data, int from) {
        return switch (this) {
            case WHOLE -> data.length;
            case BYTES -> from + 1;
            case PIECES -> Math.min(data.length, from + 1 + Math.floorMod(data[from] * 31 + from, 48));
        };
    }
}
