package dev.sallyport.spi;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A reference to a secret, as it stands in the configuration ({@code {type: env, var: TOKEN}}). Bound by the engine; a
 * transform hands it to {@link BuildContext#secret}. A value: equal references share one resolution. Holds no secret.
 */
public final class SecretRef {

    private final String type;
    private final String source;
    private final Record config;
    private final String jsonKey;
    private final boolean optional;
    private final String pointer;

    /**
     * @param type the source's name, as the configuration has it
     * @param config the source's own configuration
     * @param jsonKey field to extract from a JSON value, a JSON pointer when it begins with {@code /}; empty for none
     * @param optional whether the configuration may be used while the secret cannot be resolved
     * @param pointer where the reference stands, for messages; not part of the value
     */
    public SecretRef(String type, Record config, String jsonKey, boolean optional, String pointer) {
        this(type, type, config, jsonKey, optional, pointer);
    }

    private SecretRef(String type, String source, Record config, String jsonKey, boolean optional, String pointer) {
        this.type = Objects.requireNonNull(type, "type");
        this.source = Objects.requireNonNull(source, "source");
        this.config = Objects.requireNonNull(config, "config");
        this.jsonKey = Objects.requireNonNull(jsonKey, "jsonKey");
        this.optional = optional;
        this.pointer = Objects.requireNonNull(pointer, "pointer");
    }

    /** The same reference, as one to the source whose first name is {@code name}: equal whatever name is used. */
    public SecretRef toSource(String name) {
        return new SecretRef(type, name, config, jsonKey, optional, pointer);
    }

    /** The source's name, as the configuration has it. */
    public String type() {
        return type;
    }

    /** The source's own configuration. */
    public Record config() {
        return config;
    }

    /** The field to extract; empty for the whole value. */
    public String jsonKey() {
        return jsonKey;
    }

    /** Whether it may be unresolved. */
    public boolean optional() {
        return optional;
    }

    /** JSON pointer of the place in the configuration. */
    public String pointer() {
        return pointer;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SecretRef that
                && source.equals(that.source)
                && config.equals(that.config)
                && jsonKey.equals(that.jsonKey)
                && optional == that.optional;
    }

    @Override
    public int hashCode() {
        return Objects.hash(source, config, jsonKey, optional);
    }

    @Override
    public String toString() {
        return "SecretRef[" + type + "]";
    }
}
