package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.Credential;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.spi.Secret;
import dev.sallyport.toolkit.headers.HeaderNames;
import dev.sallyport.toolkit.redact.Rendered;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An entry that injects its secret. What is written is made once for each value of the secret. */
final class Injection implements Scoped {

    private final int index;
    private final Secret secret;
    private final @Nullable RuleSet rules;
    private final @Nullable Formatter formatter;
    private final EntryCredential credential;
    private final boolean intoHeader;
    private final String name;
    private final String location;
    private final boolean overPlaintext;
    private volatile @Nullable Written written;

    /** A value as it goes on the wire, each character one byte. */
    static final class Written {
        private final long version;
        private final String text;
        private final List<Credential> credentials;

        Written(long version, String text, List<Credential> credentials) {
            this.version = version;
            this.text = text;
            this.credentials = List.copyOf(credentials);
        }

        /** A header's value, or a percent-encoded parameter value. */
        String text() {
            return text;
        }

        /** What is secret in it. */
        List<Credential> credentials() {
            return credentials;
        }
    }

    Injection(
            int index,
            Secret secret,
            @Nullable RuleSet rules,
            SecretsConfig.Inject config,
            @Nullable Formatter formatter,
            EntryCredential credential,
            boolean overPlaintext) {
        this.index = index;
        this.secret = secret;
        this.rules = rules;
        this.formatter = formatter;
        this.overPlaintext = overPlaintext;
        this.credential = credential;
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

    @Override
    public EntryCredential credential() {
        return credential;
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

    /** What is written now. */
    Written written() {
        long version = secret.version();
        Written current = written;
        if (current == null || current.version != version) {
            current = write(version);
            written = current;
        }
        return current;
    }

    private Written write(long version) {
        byte[] value = secret.value().bytes();
        if (!intoHeader) {
            return new Written(version, QueryParameters.encode(value), List.of(credential.current()));
        }
        if (formatter == null) {
            return new Written(version, new String(value, StandardCharsets.ISO_8859_1), List.of(credential.current()));
        }
        byte[] text = formatter.format(value);
        Credential rendered = credential.of(Rendered.secretPart(formatter::format, value, text), ".formatter");
        return new Written(
                version, new String(text, StandardCharsets.ISO_8859_1), List.of(credential.current(), rendered));
    }

    @Override
    public String toString() {
        return "Injection[" + index + "]";
    }
}
