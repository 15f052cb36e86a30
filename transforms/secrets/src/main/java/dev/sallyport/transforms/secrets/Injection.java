package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.Credential;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.spi.Secret;
import dev.sallyport.spi.SecretValue;
import dev.sallyport.toolkit.headers.HeaderNames;
import dev.sallyport.toolkit.redact.Rendered;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An entry that injects its secret. The written text is rendered once for each value of the secret. */
final class Injection implements ScopedEntry {

    private final int index;
    private final Secret secret;
    private final @Nullable RuleSet rules;
    private final @Nullable Formatter formatter;
    private final EntryCredential credential;
    private final boolean intoHeader;
    private final String name;
    private final String location;
    private final boolean overPlaintext;
    /** Weak: a value that was deleted is not to stay in memory because it was once sent. */
    private volatile WeakReference<Written> written = new WeakReference<>(null);

    /** A value as it is sent, each character one byte. */
    static final class Written {
        private final long version;
        private final SecretValue value;
        private final String text;
        private final List<Credential> credentials;

        Written(long version, SecretValue value, String text, List<Credential> credentials) {
            this.version = version;
            this.value = value;
            this.text = text;
            this.credentials = List.copyOf(credentials);
        }

        /** What it was made from. */
        SecretValue value() {
            return value;
        }

        /** A header's value, or a percent-encoded parameter value. */
        String text() {
            return text;
        }

        /** The secret part. */
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

    /** Whether it is put into a header and not into the query. */
    boolean intoHeader() {
        return intoHeader;
    }

    /** The name of the header, in the casing of the configuration, or of the parameter. */
    String name() {
        return name;
    }

    /** The name of the place in annotations. */
    String location() {
        return location;
    }

    /** The text to write with the current value. */
    Written written() {
        long version = secret.version();
        Written current = written.get();
        if (current == null || current.version != version) {
            current = write(version);
            written = new WeakReference<>(current);
        }
        return current;
    }

    private Written write(long version) {
        SecretValue from = secret.value();
        byte[] value = from.bytes();
        if (!intoHeader) {
            return new Written(version, from, QueryParameters.encode(value), List.of(credential.current()));
        }
        if (formatter == null) {
            return new Written(
                    version, from, new String(value, StandardCharsets.ISO_8859_1), List.of(credential.current()));
        }
        byte[] text = formatter.format(value);
        Credential rendered = credential.of(Rendered.secretPart(formatter::format, value, text), ".formatter");
        return new Written(
                version, from, new String(text, StandardCharsets.ISO_8859_1), List.of(credential.current(), rendered));
    }

    @Override
    public String toString() {
        return "Injection[" + index + "]";
    }
}
