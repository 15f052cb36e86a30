package dev.sallyport.core.tls;

import java.security.cert.CertificateException;

/** A chain of certificates that is not trusted, and of which the peer did not send the last issuer. */
final class IncompleteChainException extends CertificateException {

    private static final long serialVersionUID = 1L;

    IncompleteChainException() {
        super("the chain of certificates is not complete");
    }
}
