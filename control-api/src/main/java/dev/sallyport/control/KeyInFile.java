package dev.sallyport.control;

import dev.sallyport.control.store.Store;
import dev.sallyport.spi.ConfigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;

/** A keyset in a file with mode 0600. */
record KeyInFile(Path file) implements EncryptionKey {

    private static final String POINTER = "/encryption/key_file";

    @Override
    public String pointer() {
        return POINTER;
    }

    @Override
    public boolean exists() {
        return Files.exists(file);
    }

    @Override
    public String readAtStart(Store store, boolean make) throws ConfigException {
        try {
            return make ? KeyFile.readOrMake(file) : KeyFile.readAndWarn(file);
        } catch (NoSuchFileException e) {
            throw missing();
        } catch (IOException | GeneralSecurityException e) {
            throw unreadable(e);
        }
    }

    @Override
    public String read(Store store) throws ConfigException {
        try {
            return Files.readString(file);
        } catch (NoSuchFileException e) {
            throw missing();
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private ConfigException missing() {
        return new ConfigException(
                POINTER, file + " cannot be used: it is not there", "the key with which the database was made");
    }

    private ConfigException unreadable(Exception fault) {
        return new ConfigException(POINTER, file + " cannot be used: " + fault, "a file that this user may read");
    }

    @Override
    public void replace(Store store, String expected, String keyset) throws ConfigException {
        if (!read(store).equals(expected)) {
            throw new ConfigException(POINTER, file + " was replaced meanwhile", "nobody else who changes it");
        }
        try {
            KeyFile.replace(file.toAbsolutePath(), keyset);
        } catch (IOException e) {
            throw new ConfigException(
                    POINTER,
                    file + " cannot be replaced: " + e,
                    "a file in a folder that this user may write, and its owner who does it");
        }
    }
}
