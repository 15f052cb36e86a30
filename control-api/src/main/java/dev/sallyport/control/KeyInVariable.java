package dev.sallyport.control;

import dev.sallyport.control.store.Store;
import dev.sallyport.spi.ConfigException;
import org.jspecify.annotations.Nullable;

/**
 * A keyset in an environment variable.
 *
 * @param text null when it is not set
 */
record KeyInVariable(String variable, @Nullable String text) implements EncryptionKey {

    private static final String POINTER = "/encryption/key_env";

    @Override
    public String pointer() {
        return POINTER;
    }

    @Override
    public boolean exists() {
        return true;
    }

    @Override
    public String readAtStart(Store store, boolean make) throws ConfigException {
        return read(store);
    }

    @Override
    public String read(Store store) throws ConfigException {
        if (text == null || text.isEmpty()) {
            throw new ConfigException(POINTER, "the variable " + variable + " is not set", "a key in it");
        }
        return text;
    }

    @Override
    public void replace(Store store, String expected, String keyset) throws ConfigException {
        throw new ConfigException(
                POINTER, "a key in a variable cannot be replaced from here", "key_file, or kms_key_id");
    }

    /** Without the key. */
    @Override
    public String toString() {
        return "KeyInVariable[" + variable + "]";
    }
}
