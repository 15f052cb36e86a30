package dev.sallyport.core.tls;

import java.net.InetAddress;
import java.net.Socket;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/** A plain Java client that trusts one authority and verifies host names. */
final class JavaClient {

    private final SSLContext context;

    JavaClient(X509Certificate trusted) throws Exception {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        store.setCertificateEntry("ca", trusted);
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
    }

    /** What a connection came to. */
    record Outcome(SSLSession session, String applicationProtocol, X509Certificate certificate) {}

    Outcome connect(int port, String host, String version, String... alpn) throws Exception {
        try (Socket plain = new Socket(InetAddress.getLoopbackAddress(), port);
                SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(plain, host, port, true)) {
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setProtocols(new String[] {version});
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            parameters.setApplicationProtocols(alpn);
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            if (socket.getInputStream().read() != LeafServer.GREETING) {
                throw new IllegalStateException("no greeting");
            }
            SSLSession session = socket.getSession();
            return new Outcome(
                    session, socket.getApplicationProtocol(), (X509Certificate) session.getPeerCertificates()[0]);
        }
    }
}
