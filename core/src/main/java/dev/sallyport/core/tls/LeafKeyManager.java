package dev.sallyport.core.tls;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.concurrent.ConcurrentMap;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * Gives each handshake the leaf whose alias is the peer host of its engine.
 *
 * <p>Leaves are held weakly: each is held strongly by its cache and by the handshakes that are to show it, so that what
 * nobody needs is gone. BoringSSL's form of a leaf is made for every handshake: that takes microseconds, while Netty's
 * cache for it never lets go of what it once took.
 */
final class LeafKeyManager extends X509ExtendedKeyManager {

    private final Cache<String, LeafCertificate> leaves =
            Caffeine.newBuilder().weakValues().executor(Runnable::run).build();
    private final ConcurrentMap<String, LeafCertificate> byAlias = leaves.asMap();

    /** Makes a leaf known; the caller holds it until its handshake is over. */
    void show(LeafCertificate leaf) {
        if (byAlias.get(leaf.alias()) == null) {
            byAlias.put(leaf.alias(), leaf);
        }
    }

    @Override
    public @Nullable String chooseEngineServerAlias(
            String keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
        return keyType.equals("EC") && engine != null ? engine.getPeerHost() : null;
    }

    @Override
    public X509Certificate @Nullable [] getCertificateChain(String alias) {
        LeafCertificate leaf = byAlias.get(alias);
        return leaf == null ? null : leaf.chain();
    }

    @Override
    public @Nullable PrivateKey getPrivateKey(String alias) {
        LeafCertificate leaf = byAlias.get(alias);
        return leaf == null ? null : leaf.key();
    }

    @Override
    public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
        return null;
    }

    @Override
    public @Nullable String chooseServerAlias(String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return null;
    }

    @Override
    public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
        return null;
    }

    @Override
    public @Nullable String chooseClientAlias(
            String[] keyTypes, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return null;
    }
}
