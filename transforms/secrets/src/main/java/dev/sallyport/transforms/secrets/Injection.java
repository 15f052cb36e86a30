package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.RuleSet;
import dev.sallyport.spi.Secret;
import dev.sallyport.toolkit.headers.HeaderNames;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** An entry that injects its secret. What is written is made once for each value of the secret. */
final class Injection implements Scoped {

    private final int index;
    private final Secret secret;
    private final @Nullable RuleSet rules;
    private final @Nullable Formatter formatter;
    private final boolean intoHeader;
    private final String name;
    private final String location;
    private final boolean overPlaintext;
    private volatile @Nullable Written written;

    /** A value as it goes on the wire, each character one byte. */
    private static final class Written {
        private final long version;
        private final String text;

        Written(long version, String text) {
            this.version = version;
            this.text = text;
        }
    }

    Injection(
            int index,
            Secret secret,
            @Nullable RuleSet rules,
            SecretsConfig.Inject config,
            @Nullable Formatter formatter,
            boolean overPlaintext) {
        this.index = index;
        this.secret = secret;
        this.rules = rules;
        this.formatter = formatter;
        this.overPlaintext = overPlaintext;
        this.intoHeader = config.header() != null;
        this.name = config.header() != null ? config.header() : String.valueOf(config.queryParam());
        this.location = intoHeader ? "header:" + HeaderNames.canonical(name) : "query:" + name;
    }

    @Override
    public int index() {
        return index;
    }

    @Override
    public @Nullable RuleSet rules() {
        return rules;
    }

    @Override
    public Secret secret() {
        return secret;
    }

    @Override
    public boolean overPlaintext() {
        return overPlaintext;
    }

    /** Whether it goes into a header, rather than into the query. */
    boolean intoHeader() {
        return intoHeader;
    }

    /** The header, in the casing of the configuration, or the parameter. */
    String name() {
        return name;
    }

    /** How annotations name the place. */
    String location() {
        return location;
    }

    /** What is written now: a header's value, or a percent-encoded parameter value. */
    String text() {
        long version = secret.version();
        Written current = written;
        if (current == null || current.version != version) {
            byte[] bytes = secret.value().bytes();
            current = new Written(
                    version,
                    intoHeader
                            ? new String(
                                    formatter == null ? bytes : formatter.format(bytes), StandardCharsets.ISO_8859_1)
                            : QueryParameters.encode(bytes));
            written = current;
        }
        return current.text;
    }

    @Override
    public String toString() {
        return "Injection[" + index + "]";
    }
}
