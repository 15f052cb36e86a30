package dev.sallyport.ctl;

import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The kinds of policies. */
enum Kind {
    /** Credentials for traffic. */
    SECRETS("secret policy", "secret policies", "spol_"),
    /** Tools of MCP servers. */
    MCP("MCP policy", "MCP policies", "mpol_"),
    /** Destinations. */
    NETWORK("network policy", "network policies", "npol_");

    private final String singular;
    private final String plural;
    private final String idPrefix;

    Kind(String singular, String plural, String idPrefix) {
        this.singular = singular;
        this.plural = plural;
        this.idPrefix = idPrefix;
    }

    /** As it is written on the command line and in paths. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** What one is called. */
    String singular() {
        return singular;
    }

    /** What several are called. */
    String plural() {
        return plural;
    }

    /** Where they are in the API. */
    String path() {
        return "/v1/policies/" + word();
    }

    /** Of this word, or null. */
    static @Nullable Kind of(String word) {
        return Arrays.stream(values())
                .filter(kind -> kind.word().equals(word))
                .findFirst()
                .orElse(null);
    }

    /** Of an identifier, or null if it is none. Names hold no underscore. */
    static @Nullable Kind ofId(String id) {
        return Arrays.stream(values())
                .filter(kind -> id.startsWith(kind.idPrefix))
                .findFirst()
                .orElse(null);
    }

    /** For the command line. */
    static final class Converter implements ITypeConverter<Kind> {

        @Override
        public Kind convert(String value) {
            Kind kind = of(value);
            if (kind == null) {
                throw new TypeConversionException("expected secrets, mcp or network, but was " + value);
            }
            return kind;
        }
    }
}
