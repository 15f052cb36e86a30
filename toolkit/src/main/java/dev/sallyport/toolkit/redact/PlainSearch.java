package dev.sallyport.toolkit.redact;

import dev.sallyport.toolkit.scan.TokenCursor;
import dev.sallyport.toolkit.scan.TokenMatcher;

/** The search in the plain bytes: one pass, most of which the matcher's filter skips. */
final class PlainSearch extends Search {

    private final LookbackBuffer window;
    private final TokenCursor cursor;

    PlainSearch(LookbackBuffer window, TokenMatcher matcher) {
        this.window = window;
        this.cursor = new TokenCursor(matcher);
    }

    @Override
    void advance(boolean last) {
        if (found()) {
            return;
        }
        int held = window.heldLength();
        int to = (int) (window.end() - window.origin());
        if (cursor.run(window.held(), window.heldShift(), Integer.MAX_VALUE, held)
                || cursor.run(window.piece(), window.pieceShift(), held, to)
                || (last && cursor.finish())) {
            found(cursor.token(), window.origin() + cursor.start(), window.origin() + cursor.end(), true);
        }
    }

    @Override
    long undecidedFrom() {
        return found() ? start() : window.origin() + cursor.undecidedFrom();
    }

    @Override
    int undecidedLength() {
        return (int) (window.end() - undecidedFrom());
    }

    @Override
    void restart(long floor, boolean own) {
        if (undecidedFrom() < floor) {
            forget();
            cursor.begin((int) (floor - window.origin()));
        }
    }

    @Override
    void slide(int bytes) {
        cursor.rebase(bytes);
    }
}
