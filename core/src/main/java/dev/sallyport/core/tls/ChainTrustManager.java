package dev.sallyport.core.tls;

import java.net.Socket;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/** Trusts what another one trusts, and tells a chain that is not complete from one that nobody trusts. */
final class ChainTrustManager extends X509ExtendedTrustManager {

    private static final int MAX_CAUSES = 16;

    private final X509ExtendedTrustManager trust;

    ChainTrustManager(X509ExtendedTrustManager trust) {
        this.trust = trust;
    }

    private interface Check {
        void run() throws CertificateException;
    }

    private static void explain(X509Certificate[] chain, Check check) throws CertificateException {
        try {
            check.run();
        } catch (CertificateException e) {
            throw isUnknown(e) && lacksIssuer(chain) ? new IncompleteChainException() : e;
        }
    }

    /** Whether no path to a trust anchor was found. */
    private static boolean isUnknown(CertificateException failure) {
        Throwable cause = failure;
        for (int i = 0; cause != null && i < MAX_CAUSES; i++, cause = cause.getCause()) {
            if (cause instanceof CertPathBuilderException) {
                return true;
            }
        }
        return false;
    }

    /** Whether the way from the peer's certificate ends at one that another has signed, and that one is not there. */
    private static boolean lacksIssuer(X509Certificate[] chain) {
        X509Certificate last = chain.length == 0 ? null : chain[0];
        for (int i = 0; last != null && i < chain.length; i++) {
            if (last.getSubjectX500Principal().equals(last.getIssuerX500Principal())) {
                return false;
            }
            X509Certificate issuer = issuer(last, chain);
            if (issuer == null) {
                return true;
            }
            last = issuer;
        }
        return false;
    }

    private static @Nullable X509Certificate issuer(X509Certificate of, X509Certificate[] chain) {
        for (X509Certificate one : chain) {
            if (one.getSubjectX500Principal().equals(of.getIssuerX500Principal())) {
                return one;
            }
        }
        return null;
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        explain(chain, () -> trust.checkServerTrusted(chain, type, engine));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        explain(chain, () -> trust.checkServerTrusted(chain, type, socket));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
        explain(chain, () -> trust.checkServerTrusted(chain, type));
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        trust.checkClientTrusted(chain, type, engine);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        trust.checkClientTrusted(chain, type, socket);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
        trust.checkClientTrusted(chain, type);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return trust.getAcceptedIssuers();
    }
}
