package dev.sallyport.core.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPrivateKey;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.jspecify.annotations.Nullable;

/**
 * The authority that signs leaves: a certificate and its private key. Immutable.
 *
 * <p>A certificate without a key usage extension may sign (RFC 5280, 4.2.1.3); one with the extension needs
 * {@code keyCertSign}.
 */
public final class CertificateAuthority {

    /** The bit of keyCertSign in the key usage extension. */
    private static final int KEY_CERT_SIGN = 5;

    private final List<X509Certificate> chain;
    private final PrivateKey key;

    CertificateAuthority(List<X509Certificate> chain, PrivateKey key) {
        this.chain = List.copyOf(chain);
        this.key = key;
    }

    /**
     * Reads and checks both files. Blocks.
     *
     * @param certificate PEM; the first certificate signs, further ones are its issuers and are sent to clients
     * @param key PEM: RSA or EC as PKCS#8, PKCS#1 or SEC1, not encrypted
     */
    public static CertificateAuthority load(Path certificate, Path key) throws TlsMaterialException {
        return load(certificate, key, Clock.systemUTC());
    }

    static CertificateAuthority load(Path certificate, Path key, Clock clock) throws TlsMaterialException {
        String certificatePem = Pem.read(certificate);
        String keyPem = Pem.read(key);
        return parse(certificatePem, certificate.toString(), keyPem, key.toString(), clock);
    }

    /**
     * As {@link #load(Path, Path)}, but reports the problems of both files. Blocks.
     *
     * @param certificate null when it is unknown; then only the key is checked, and likewise for the key
     * @return null when a file is missing or invalid
     */
    public static @Nullable CertificateAuthority read(
            @Nullable Path certificate,
            @Nullable Path key,
            Consumer<TlsMaterialException> certificateFaults,
            Consumer<TlsMaterialException> keyFaults) {
        List<X509Certificate> chain = List.of();
        boolean sound = certificate != null && key != null;
        try {
            if (certificate != null) {
                chain = certificates(Pem.read(certificate), certificate.toString());
                checkMaySign(chain.getFirst(), certificate.toString(), Instant.now());
            }
        } catch (TlsMaterialException e) {
            certificateFaults.accept(e);
            sound = false;
        }
        try {
            KeyReader.Found signing = key == null ? null : new KeyReader(key.toString()).read(Pem.read(key));
            if (signing != null && !chain.isEmpty()) {
                checkBelongs(signing, String.valueOf(key), chain.getFirst(), String.valueOf(certificate));
                return sound ? new CertificateAuthority(chain, signing.key()) : null;
            }
        } catch (TlsMaterialException e) {
            keyFaults.accept(e);
        }
        return null;
    }

    /** As {@link #load(Path, Path)}, from texts, which errors call {@code ca_cert} and {@code ca_key}. */
    public static CertificateAuthority parse(String certificatePem, String keyPem) throws TlsMaterialException {
        return parse(certificatePem, "ca_cert", keyPem, "ca_key", Clock.systemUTC());
    }

    /** Generates an authority on P-256, valid from now (backdated like leaves). */
    public static CertificateAuthority generate(String commonName, Duration validity) {
        return new AuthorityGenerator(Clock.systemUTC()).generate(commonName, validity);
    }

    private static CertificateAuthority parse(
            String certificatePem, String certificateFile, String keyPem, String keyFile, Clock clock)
            throws TlsMaterialException {
        List<X509Certificate> chain = certificates(certificatePem, certificateFile);
        checkMaySign(chain.getFirst(), certificateFile, clock.instant());
        KeyReader.Found key = new KeyReader(keyFile).read(keyPem);
        checkBelongs(key, keyFile, chain.getFirst(), certificateFile);
        return new CertificateAuthority(chain, key.key());
    }

    /** The certificates in a text, at least one. */
    static List<X509Certificate> certificates(String pem, String file) throws TlsMaterialException {
        List<Pem.Block> blocks = Pem.blocks(pem, file);
        List<X509Certificate> certificates = new ArrayList<>();
        try {
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            for (Pem.Block block : blocks) {
                if (block.label().equals(Pem.CERTIFICATE)) {
                    certificates.add(
                            (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(block.der())));
                }
            }
        } catch (CertificateException e) {
            throw new TlsMaterialException(file, "a CERTIFICATE block is damaged", "an X.509 certificate");
        }
        if (certificates.isEmpty()) {
            throw new TlsMaterialException(
                    file, "no certificate block, found: " + Pem.found(blocks), "CERTIFICATE in PEM");
        }
        return certificates;
    }

    private static void checkMaySign(X509Certificate certificate, String file, Instant now)
            throws TlsMaterialException {
        String kind = certificate.getPublicKey().getAlgorithm();
        if (!kind.equals("RSA") && !kind.equals("EC")) {
            throw new TlsMaterialException(file, "unsupported key algorithm " + kind, "an RSA or EC certificate");
        }
        if (certificate.getBasicConstraints() < 0) {
            throw new TlsMaterialException(file, "not a CA certificate", "basic constraints with CA:TRUE");
        }
        boolean[] usage = certificate.getKeyUsage();
        if (usage != null && !usage[KEY_CERT_SIGN]) {
            throw new TlsMaterialException(file, "the certificate may not sign others", "key usage with keyCertSign");
        }
        Instant from = certificate.getNotBefore().toInstant();
        Instant until = certificate.getNotAfter().toInstant();
        if (now.isBefore(from)) {
            throw new TlsMaterialException(file, "the CA certificate is not valid before " + from);
        }
        if (now.isAfter(until)) {
            throw new TlsMaterialException(file, "the CA certificate expired at " + until);
        }
    }

    static void checkBelongs(KeyReader.Found found, String keyFile, X509Certificate certificate, String certificateFile)
            throws TlsMaterialException {
        PublicKey certified = certificate.getPublicKey();
        if (!certified.getAlgorithm().equals(found.key().getAlgorithm())
                || (!Arrays.equals(found.publicKey(), certified.getEncoded()) && !verifies(found.key(), certificate))) {
            throw new TlsMaterialException(keyFile, "the key does not belong to the certificate " + certificateFile);
        }
    }

    /** Tests a key that does not state its public half by a signature, which takes 60 ms early in a start. */
    private static boolean verifies(PrivateKey key, X509Certificate certificate) {
        byte[] probe = "probe".getBytes(StandardCharsets.US_ASCII);
        try {
            Signature signature = Signature.getInstance(signatureAlgorithm(key));
            signature.initSign(key);
            signature.update(probe);
            byte[] signed = signature.sign();
            signature.initVerify(certificate.getPublicKey());
            signature.update(probe);
            return signature.verify(signed);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    static String signatureAlgorithm(PrivateKey key) {
        return key.getAlgorithm().equals("RSA") ? "SHA256withRSA" : "SHA256withECDSA";
    }

    /**
     * Writes certificate and key as PEM, each atomically; only the owner can read the key. Replaces existing files.
     * Blocks.
     */
    public void write(Path certificateFile, Path keyFile) throws IOException {
        AtomicFiles.write(keyFile, keyPem(), "rw-------");
        AtomicFiles.write(certificateFile, certificatePem(), "rw-r--r--");
    }

    /** The private key, a secret: PKCS#8 as PEM. An EC key includes its public key, as in OpenSSL. */
    public String keyPem() throws IOException {
        PrivateKeyInfo info = PrivateKeyInfo.getInstance(key.getEncoded());
        if (key instanceof ECPrivateKey elliptic) {
            AlgorithmIdentifier algorithm = info.getPrivateKeyAlgorithm();
            SubjectPublicKeyInfo certified = SubjectPublicKeyInfo.getInstance(
                    certificate().getPublicKey().getEncoded());
            int bits = elliptic.getParams().getOrder().bitLength();
            info = new PrivateKeyInfo(
                    algorithm,
                    new org.bouncycastle.asn1.sec.ECPrivateKey(
                            bits, elliptic.getS(), certified.getPublicKeyData(), algorithm.getParameters()));
        }
        return Pem.encode(Pem.PKCS8, info.getEncoded());
    }

    /** The signing certificate. */
    public X509Certificate certificate() {
        return chain.getFirst();
    }

    /** The signing certificate as PEM, for clients to trust. */
    public String certificatePem() {
        try {
            return Pem.encode(Pem.CERTIFICATE, certificate().getEncoded());
        } catch (CertificateException e) {
            throw new IllegalStateException("a parsed certificate has no encoding", e);
        }
    }

    List<X509Certificate> chain() {
        return chain;
    }

    PrivateKey key() {
        return key;
    }

    /** Whether both authorities have the same key and certificates. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof CertificateAuthority that && chain.equals(that.chain) && key.equals(that.key);
    }

    @Override
    public int hashCode() {
        return chain.hashCode();
    }

    @Override
    public String toString() {
        return "CertificateAuthority[" + certificate().getSubjectX500Principal() + "]";
    }
}
