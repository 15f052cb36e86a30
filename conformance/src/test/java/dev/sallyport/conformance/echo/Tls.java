package dev.sallyport.conformance.echo;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/** TLS over connections that there are, for HTTP/2. */
final class Tls {

    private static final String[] HTTP2 = {"h2"};

    private Tls() {}

    /** Trusts what is signed by the certificate in this file. */
    static SSLContext trusting(Path authority) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        try (InputStream pem = Files.newInputStream(authority)) {
            store.setCertificateEntry(
                    "authority", CertificateFactory.getInstance("X.509").generateCertificate(pem));
        }
        TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context;
    }

    /** The client's side, through the handshake. */
    static Socket client(SSLContext context, Socket socket, String host, int port) throws IOException {
        SSLSocket secure = (SSLSocket) context.getSocketFactory().createSocket(socket, host, port, true);
        SSLParameters parameters = secure.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        parameters.setApplicationProtocols(HTTP2);
        secure.setSSLParameters(parameters);
        secure.startHandshake();
        return secure;
    }

    /** The origin's side. */
    static Socket server(SSLContext context, Socket socket) throws IOException {
        SSLSocket secure = (SSLSocket) context.getSocketFactory().createSocket(socket, null, socket.getPort(), true);
        secure.setUseClientMode(false);
        SSLParameters parameters = secure.getSSLParameters();
        parameters.setApplicationProtocols(HTTP2);
        secure.setSSLParameters(parameters);
        secure.startHandshake();
        return secure;
    }
}
