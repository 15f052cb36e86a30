package dev.sallyport.core.tls;

import dev.sallyport.spi.Rule;
import dev.sallyport.spi.Secret;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A certificate that origins are shown, and its private key, which may be renewed. Thread-safe; reading blocks. */
public final class ClientIdentity {

    private final List<Rule> rules;
    private final List<X509Certificate> chain;
    private final Path file;
    private final Secret key;
    private volatile Parsed parsed;

    private record Parsed(long version, PrivateKey key) {}

    private ClientIdentity(List<Rule> rules, List<X509Certificate> chain, Path file, Secret key, Parsed parsed) {
        this.rules = List.copyOf(rules);
        this.chain = List.copyOf(chain);
        this.file = file;
        this.key = key;
        this.parsed = parsed;
    }

    /**
     * Reads the certificate and checks that the key, which must be there, belongs to it.
     *
     * @param rules the origins
     * @param file PEM; the first certificate is shown, further ones are sent behind it
     */
    public static ClientIdentity read(List<Rule> rules, Path file, Secret key) throws TlsMaterialException {
        List<X509Certificate> chain = certificates(file);
        return new ClientIdentity(rules, chain, file, key, parse(chain, file, key));
    }

    /** The certificates of a file, at least one. */
    public static List<X509Certificate> certificates(Path file) throws TlsMaterialException {
        return CertificateAuthority.certificates(Pem.read(file), file.toString());
    }

    private static Parsed parse(List<X509Certificate> chain, Path file, Secret key) throws TlsMaterialException {
        long version = key.version();
        KeyReader.Found found = new KeyReader(key.name()).read(key.value().text());
        CertificateAuthority.checkBelongs(found, key.name(), chain.getFirst(), file.toString());
        return new Parsed(version, found.key());
    }

    List<Rule> rules() {
        return rules;
    }

    X509Certificate[] chain() {
        return chain.toArray(X509Certificate[]::new);
    }

    /** The key as it is now; the former one where it cannot be used. */
    PrivateKey key() {
        Parsed known = parsed;
        if (key.available() && key.version() != known.version()) {
            try {
                known = parse(chain, file, key);
                parsed = known;
            } catch (TlsMaterialException | IllegalStateException e) {
                return known.key(); // A reload, which reads the certificate again, says what is wrong.
            }
        }
        return known.key();
    }

    /** Whether it is shown to the same origins, with the same certificate and key. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ClientIdentity that
                && rules.equals(that.rules)
                && chain.equals(that.chain)
                && key().equals(that.key());
    }

    @Override
    public int hashCode() {
        return 31 * rules.hashCode() + chain.hashCode();
    }

    @Override
    public String toString() {
        return "ClientIdentity[" + chain.getFirst().getSubjectX500Principal() + "]";
    }
}
