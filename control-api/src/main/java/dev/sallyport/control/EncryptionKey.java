package dev.sallyport.control;

import dev.sallyport.control.store.Store;
import dev.sallyport.spi.ConfigException;

/** Where the keyset is kept with which values are encrypted. Thread-safe; all methods block. */
interface EncryptionKey {

    /** The key of the configuration that names it, a JSON pointer. */
    String pointer();

    /** Whether there is one already, without making one. */
    boolean exists();

    /**
     * The text of the keyset, for a process that starts.
     *
     * @param store the database of the values
     * @param make whether one is made where there is none: only while the database holds no value
     * @throws ConfigException when it cannot be read
     */
    String readAtStart(Store store, boolean make) throws ConfigException;

    /**
     * The text of the keyset, as it is now. Makes none.
     *
     * @throws ConfigException when it cannot be read
     */
    String read(Store store) throws ConfigException;

    /**
     * Puts another keyset in its place, at once and for good. The caller sees to it that it is the only one
     * ({@link Store#alone}).
     *
     * @param expected the present one
     * @throws ConfigException when that is not possible, or the present one is another; then it is still there
     */
    void replace(Store store, String expected, String keyset) throws ConfigException;
}
