package dev.sallyport.toolkit.match;

/** Hashes of regions of texts. */
final class Hashes {

    private Hashes() {}

    static int region(String text, int from, int to) {
        int hash = 0;
        for (int i = from; i < to; i++) {
            hash = hash * 31 + text.charAt(i);
        }
        return mix(hash);
    }

    static int combine(int first, int second) {
        return mix(first * 0x9E3779B9 + second);
    }

    private static int mix(int hash) {
        int mixed = (hash ^ hash >>> 15) * 0x85EBCA6B;
        return mixed ^ mixed >>> 13;
    }
}
