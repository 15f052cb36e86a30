package dev.sallyport.transforms.sigv4auth;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A query whose parameters can be changed one by one; the order and encoding of all others stay. Not thread-safe. */
final class RawQuery {

    private final List<Piece> pieces = new ArrayList<>();

    private record Piece(String name, String raw) {

        String value() {
            int equals = raw.indexOf('=');
            return equals < 0 ? "" : Canonical.decode(raw.substring(equals + 1), true);
        }
    }

    private RawQuery() {}

    static RawQuery of(String raw) {
        RawQuery query = new RawQuery();
        for (int from = 0; from <= raw.length(); ) {
            int end = endOfPiece(raw, from);
            String piece = raw.substring(from, end);
            int equals = piece.indexOf('=');
            query.pieces.add(new Piece(Canonical.decode(equals < 0 ? piece : piece.substring(0, equals), true), piece));
            from = end + 1;
        }
        return query;
    }

    /** Where the parameter that begins at {@code from} ends. */
    static int endOfPiece(String raw, int from) {
        int end = raw.indexOf('&', from);
        return end < 0 ? raw.length() : end;
    }

    int count(String name) {
        int count = 0;
        for (Piece piece : pieces) {
            count += piece.name().equals(name) ? 1 : 0;
        }
        return count;
    }

    /** The decoded value of the first parameter of this name, or null. */
    @Nullable String first(String name) {
        for (Piece piece : pieces) {
            if (piece.name().equals(name)) {
                return piece.value();
            }
        }
        return null;
    }

    /** Sets a parameter in its place, or appends it. */
    void set(String name, String value) {
        StringBuilder raw = new StringBuilder(name).append('=');
        Canonical.encode(value, false, raw);
        Piece piece = new Piece(name, raw.toString());
        for (int i = 0; i < pieces.size(); i++) {
            if (pieces.get(i).name().equals(name)) {
                pieces.set(i, piece);
                return;
            }
        }
        pieces.add(piece);
    }

    void remove(String name) {
        pieces.removeIf(piece -> piece.name().equals(name));
    }

    String raw() {
        StringBuilder raw = new StringBuilder();
        for (int i = 0; i < pieces.size(); i++) {
            raw.append(i == 0 ? "" : "&").append(pieces.get(i).raw());
        }
        return raw.toString();
    }

    @Override
    public String toString() {
        return "RawQuery[" + pieces.size() + "]";
    }
}
