package dev.sallyport.transforms.grpc;

import dev.sallyport.spi.ConfigException;
import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.TlsChannelCredentials;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.HexFormat;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;

/**
 * The content of the configured files, read once.
 *
 * @param fingerprint equal for equal contents; reveals nothing of them
 */
record TlsMaterial(ChannelCredentials credentials, String fingerprint) {

    private static final char[] NO_PASSWORD = {};

    /** Reads and checks the files. */
    static TlsMaterial load(GrpcConfig.Tls tls) throws ConfigException {
        if (!tls.enabled()) {
            return new TlsMaterial(InsecureChannelCredentials.create(), "plaintext");
        }
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            TlsChannelCredentials.Builder credentials = TlsChannelCredentials.newBuilder();
            if (tls.caCert() != null) {
                trust(PemFile.read("/tls/ca_cert", tls.caCert()).certificates(), credentials, digest);
            }
            digest.update((byte) '|');
            if (tls.cert() != null && tls.key() != null) {
                show(tls.cert(), tls.key(), credentials, digest);
            }
            return new TlsMaterial(credentials.build(), HexFormat.of().formatHex(digest.digest()));
        } catch (GeneralSecurityException | IOException e) {
            throw new ConfigException(
                            "/tls",
                            "this JDK cannot use the certificates and key",
                            "supported certificates and a supported key")
                    .causedBy(e);
        }
    }

    private static void trust(
            List<X509Certificate> roots, TlsChannelCredentials.Builder credentials, MessageDigest digest)
            throws GeneralSecurityException, IOException {
        KeyStore store = store();
        for (int i = 0; i < roots.size(); i++) {
            store.setCertificateEntry("ca" + i, roots.get(i));
            digest.update(roots.get(i).getEncoded());
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        credentials.trustManager(trust.getTrustManagers());
    }

    private static void show(
            Path chainFile, Path keyFile, TlsChannelCredentials.Builder credentials, MessageDigest digest)
            throws GeneralSecurityException, IOException, ConfigException {
        List<X509Certificate> chain = PemFile.read("/tls/cert", chainFile).certificates();
        PrivateKey key = PemFile.read("/tls/key", keyFile).privateKey();
        if (!PrivateKeys.belong(key, chain.getFirst().getPublicKey())) {
            throw new ConfigException(
                    "/tls/key",
                    keyFile + ": does not match the certificate in " + chainFile,
                    "the key of the first certificate");
        }
        for (X509Certificate certificate : chain) {
            digest.update(certificate.getEncoded());
        }
        digest.update(key.getEncoded());
        KeyStore store = store();
        store.setKeyEntry("client", key, NO_PASSWORD, chain.toArray(X509Certificate[]::new));
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, NO_PASSWORD);
        credentials.keyManager(keys.getKeyManagers());
    }

    private static KeyStore store() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        return store;
    }

    @Override
    public String toString() {
        return "TlsMaterial";
    }
}
