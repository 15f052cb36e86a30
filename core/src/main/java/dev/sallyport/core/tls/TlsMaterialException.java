package dev.sallyport.core.tls;

/** A certificate or key that cannot be used. The message is one sentence and never shows what the file holds. */
public final class TlsMaterialException extends Exception {

    private final String file;

    TlsMaterialException(String file, String problem) {
        super(file + ": " + problem);
        this.file = file;
    }

    /** The file at fault, as it was given. */
    public String file() {
        return file;
    }
}
