package dev.sallyport.core.tls;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/** Shows origins the certificate that is meant for them, and remembers which ones asked in vain. Thread-safe. */
final class ClientKeyManager extends X509ExtendedKeyManager {

    private final ClientIdentities identities;
    private final Set<SSLEngine> unanswered =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    ClientKeyManager(ClientIdentities identities) {
        this.identities = identities;
    }

    /** Whether the server of this handshake asked for a certificate, and got none. */
    boolean isUnanswered(SSLEngine engine) {
        return unanswered.contains(engine);
    }

    /** The alias is the number of the identity. */
    @Override
    public @Nullable String chooseEngineClientAlias(String[] types, Principal[] issuers, SSLEngine engine) {
        int number = identities.find(engine.getPeerHost(), engine.getPeerPort());
        if (number < 0
                || !Arrays.asList(types).contains(identities.get(number).key().getAlgorithm())) {
            unanswered.add(engine);
            return null;
        }
        return Integer.toString(number);
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
    public X509Certificate[] getCertificateChain(String alias) {
        return identities.get(Integer.parseInt(alias)).chain();
    }

    @Override
    public PrivateKey getPrivateKey(String alias) {
        return identities.get(Integer.parseInt(alias)).key();
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
