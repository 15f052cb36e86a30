package dev.sallyport.conformance;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** A certificate and its key, as files that an origin reads, and as what it needs within this process. */
public final class OriginFiles {

    public final Path certificate;
    public final Path key;
    private final KeyPair keys;
    private final X509Certificate issued;

    /** For {@code localhost}. */
    public OriginFiles(Path folder) throws Exception {
        this(folder, "localhost");
    }

    /** For a name. */
    public OriginFiles(Path folder, String name) throws Exception {
        this(folder, new GeneralName(GeneralName.dNSName, name));
    }

    /** For an address. */
    public OriginFiles(Path folder, InetAddress address) throws Exception {
        this(folder, new GeneralName(GeneralName.iPAddress, address.getHostAddress()));
    }

    private OriginFiles(Path folder, GeneralName subject) throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(256);
        keys = generator.generateKeyPair();
        X500Name name = new X500Name("CN=origin");
        Instant now = Instant.now();
        JcaX509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                name,
                BigInteger.ONE,
                Date.from(now.minus(Duration.ofHours(1))),
                Date.from(now.plus(Duration.ofHours(1))),
                name,
                keys.getPublic());
        builder.addExtension(Extension.subjectAlternativeName, false, new GeneralNames(subject));
        var signer = new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate());
        issued = new JcaX509CertificateConverter().getCertificate(builder.build(signer));
        certificate = pem(folder.resolve("origin.pem"), issued);
        key = pem(folder.resolve("origin.key"), new JcaPKCS8Generator(keys.getPrivate(), null));
    }

    /** For an origin's side of TLS. */
    public SSLContext context() throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry("origin", keys.getPrivate(), new char[0], new Certificate[] {issued});
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(store, new char[0]);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return context;
    }

    private static Path pem(Path file, Object content) {
        try {
            StringWriter text = new StringWriter();
            try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
                writer.writeObject(content);
            }
            return Files.writeString(file, text.toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
