package dev.sallyport.control.store;

import java.security.SecureRandom;
import java.util.HexFormat;
import org.jdbi.v3.core.Handle;

/** With what positions are hidden that accounts are told. It is made once: all processes and backups have the same. */
final class PositionSecret {

    private static final String ROW = "position_secret";
    private static final int BYTES = 32;
    private static final SecureRandom RANDOM = new SecureRandom();

    private PositionSecret() {}

    static void ensure(Store store) {
        byte[] bytes = new byte[BYTES];
        RANDOM.nextBytes(bytes);
        Meta.ensure(store, ROW, HexFormat.of().formatHex(bytes));
    }

    static byte[] read(Handle handle) {
        return HexFormat.of().parseHex(Meta.read(handle, ROW));
    }
}
