package dev.sallyport.control.store;

import dev.sallyport.control.model.Ids;
import java.security.SecureRandom;
import org.jdbi.v3.core.Handle;

/**
 * The name of the numbering of changes. It begins with the database, and anew with each restore: what was numbered
 * after the backup is gone, and its numbers are given to other changes.
 */
final class Epoch {

    private static final String ROW = "epoch";
    private static final SecureRandom RANDOM = new SecureRandom();

    private Epoch() {}

    /** Names the first one, where there is none. */
    static void ensure(Store store) {
        Meta.ensure(store, ROW, next());
    }

    /** Begins another one. What sandboxes were told last is not known any more. */
    static void begin(Store store) {
        store.write(transaction -> transaction.sql().execute("update vm set environment = null"));
        Meta.replace(store, ROW, next());
    }

    static String read(Handle handle) {
        return Meta.read(handle, ROW);
    }

    private static String next() {
        byte[] bytes = new byte[16];
        RANDOM.nextBytes(bytes);
        return Ids.base32(bytes, 2);
    }
}
