package dev.sallyport.core.tls;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/** Has no certificate for any origin, and remembers which ones asked for one. Thread-safe. */
final class ClientKeyManager extends X509ExtendedKeyManager {

    private final Set<SSLEngine> unanswered =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    /** Whether the server of this handshake asked for a certificate, and got none. */
    boolean isUnanswered(SSLEngine engine) {
        return unanswered.contains(engine);
    }

    @Override
    public @Nullable String chooseEngineClientAlias(String[] types, Principal[] issuers, SSLEngine engine) {
        unanswered.add(engine);
        return null;
    }

    @Override
    public @Nullable String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
        return null;
    }

    @Override
    public String @Nullable [] getClientAliases(String type, Principal[] issuers) {
        return null;
    }

    @Override
    public X509Certificate @Nullable [] getCertificateChain(String alias) {
        return null;
    }

    @Override
    public @Nullable PrivateKey getPrivateKey(String alias) {
        return null;
    }

    @Override
    public String @Nullable [] getServerAliases(String type, Principal[] issuers) {
        return null;
    }

    @Override
    public @Nullable String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
        return null;
    }
}
