package dev.sallyport.spi;

/** A well-formed configuration that cannot work. The message is shown to the operator and must not hold a secret. */
public final class ConfigException extends Exception {

    private static final long serialVersionUID = 1L;

    private final String pointer;
    private final String expected;

    /** A problem with the whole of the plug-in's configuration. */
    public ConfigException(String message) {
        this("", message, "");
    }

    /** A problem at a place; parameters as {@link Problems#add}. */
    public ConfigException(String pointer, String message, String expected) {
        super(message);
        this.pointer = pointer;
        this.expected = expected;
    }

    /** The same problem with its cause. */
    public ConfigException causedBy(Throwable cause) {
        initCause(cause);
        return this;
    }

    /** JSON pointer relative to the plug-in's {@code config}. */
    public String pointer() {
        return pointer;
    }

    /** What was expected; may be empty. */
    public String expected() {
        return expected;
    }
}
