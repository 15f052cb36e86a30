package dev.sallyport.control.feed;

/**
 * How a text differs from another one: between a front and a back that both have. Lengths are in UTF-16 code units; no
 * surrogate pair is cut.
 */
record Splice(int front, int back, String middle) {

    /** What makes the second text out of the first. */
    static Splice of(String from, String to) {
        int most = Math.min(from.length(), to.length());
        int front = 0;
        while (front < most && from.charAt(front) == to.charAt(front)) {
            front++;
        }
        if (front > 0 && Character.isHighSurrogate(to.charAt(front - 1))) {
            front--;
        }
        int back = 0;
        while (back < most - front && from.charAt(from.length() - 1 - back) == to.charAt(to.length() - 1 - back)) {
            back++;
        }
        if (back > 0 && Character.isLowSurrogate(to.charAt(to.length() - back))) {
            back--;
        }
        return new Splice(front, back, to.substring(front, to.length() - back));
    }
}
