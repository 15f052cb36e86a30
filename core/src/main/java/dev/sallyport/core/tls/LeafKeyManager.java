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
 * Selects for each handshake the leaf whose alias is the peer host of its engine.
 *
 * <p>Leaves are held weakly here; their cache and the handshakes that show them hold them strongly. BoringSSL's form of
 * a leaf is built for every handshake, which takes microseconds: Netty's cache for it never evicts.
 */
final class LeafKeyManager extends X509ExtendedKeyManager {

    private final Cache<String, LeafCertificate> leaves =
            Caffeine.newBuilder().weakValues().executor(Runnable::run).build();
    private final ConcurrentMap<String, LeafCertificate> byAlias = leaves.asMap();

    /** Registers a leaf; the caller holds it until its handshake has ended. */
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
