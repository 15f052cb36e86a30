package dev.sallyport.core.tls;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Describes a failed handshake in one short sentence, the same for both providers. */
public final class TlsFailure {

    private static final int MAX_CAUSES = 16;
    private static final String UNTRUSTED = "the peer's certificate is not issued by a trusted authority";
    private static final String INCOMPLETE = UNTRUSTED
            + ", and the peer did not send that of its issuer (expected: a server that sends its intermediate certificates,"
            + " or the issuer's in tls.upstream_ca)";
    private static final String CLOSED = "the peer closed the connection during the TLS handshake";

    /** The alert of a peer in both providers' messages, in lower case and without spaces. */
    private static final Pattern ALERT = Pattern.compile("alert:?_([a-z_]+)");

    private static final Set<String> DISTRUST = Set.of(
            "unknown_ca",
            "bad_certificate",
            "certificate_unknown",
            "unsupported_certificate",
            "certificate_expired",
            "certificate_revoked");

    private TlsFailure() {}

    /** The sentence, without full stop; fit for audit records and problem documents. */
    public static String describe(Throwable failure) {
        String certificate = null;
        String alert = null;
        boolean closed = false;
        Throwable cause = failure;
        for (int i = 0; cause != null && i < MAX_CAUSES; i++, cause = cause.getCause()) {
            certificate = ofCertificate(cause, certificate);
            alert = alert == null && cause instanceof SSLException ? ofAlert(cause.getMessage()) : alert;
            closed |= cause instanceof ClosedChannelException
                    || (cause instanceof IOException && !(cause instanceof SSLException));
        }
        if (certificate != null) {
            return certificate;
        }
        if (alert != null) {
            return alert;
        }
        return closed ? CLOSED : "the TLS handshake failed";
    }

    /** Whether the peer's certificate was not accepted. */
    public static boolean isOfCertificate(Throwable failure) {
        Throwable cause = failure;
        for (int i = 0; cause != null && i < MAX_CAUSES; i++, cause = cause.getCause()) {
            if (cause instanceof CertificateException) {
                return true;
            }
        }
        return false;
    }

    /** Whether the peer closed the connection without another reason. */
    public static boolean isClosed(Throwable failure) {
        return describe(failure).equals(CLOSED);
    }

    /** The name of the alert with which the peer ended the handshake, such as {@code unknown_ca}; empty for none. */
    public static String alert(Throwable failure) {
        Throwable cause = failure;
        for (int i = 0; cause != null && i < MAX_CAUSES; i++, cause = cause.getCause()) {
            Matcher alert = ALERT.matcher(normal(cause.getMessage()));
            if (cause instanceof SSLException && alert.find()) {
                return alert.group(1);
            }
        }
        return "";
    }

    /** The name of an alert by its number (RFC 8446, 6); the number itself for others. */
    public static String alertName(int number) {
        return switch (number) {
            case 0 -> "close_notify";
            case 40 -> "handshake_failure";
            case 42 -> "bad_certificate";
            case 43 -> "unsupported_certificate";
            case 44 -> "certificate_revoked";
            case 45 -> "certificate_expired";
            case 46 -> "certificate_unknown";
            case 48 -> "unknown_ca";
            case 70 -> "protocol_version";
            case 80 -> "internal_error";
            case 90 -> "user_canceled";
            case 112 -> "unrecognized_name";
            case 120 -> "no_application_protocol";
            default -> "number " + number;
        };
    }

    /** Whether an alert means that the peer does not trust the certificate. */
    public static boolean isDistrust(String alert) {
        return DISTRUST.contains(alert);
    }

    /** Whether the peer supports none of the offered protocols (RFC 7301, 3.2). */
    public static boolean isNoProtocol(Throwable failure) {
        Throwable cause = failure;
        for (int i = 0; cause != null && i < MAX_CAUSES; i++, cause = cause.getCause()) {
            if (cause instanceof SSLException && isNoProtocol(normal(cause.getMessage()))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isNoProtocol(String text) {
        return text.contains("no_application_protocol");
    }

    private static String normal(@Nullable String message) {
        return String.valueOf(message).toLowerCase(Locale.ROOT).replace(' ', '_');
    }

    /** Prefers the deepest cause that has a description. */
    private static @Nullable String ofCertificate(Throwable cause, @Nullable String soFar) {
        if (cause instanceof CertificateExpiredException) {
            return "the peer's certificate has expired";
        }
        if (cause instanceof CertificateNotYetValidException) {
            return "the peer's certificate is not yet valid";
        }
        if (cause instanceof CertPathBuilderException
                || (cause instanceof CertPathValidatorException path
                        && path.getReason().equals(CertPathValidatorException.BasicReason.INVALID_SIGNATURE))) {
            return UNTRUSTED;
        }
        if (cause instanceof IncompleteChainException) {
            return INCOMPLETE;
        }
        if (cause instanceof CertificateException) {
            String message = String.valueOf(cause.getMessage());
            if (message.contains("subject alternative") || message.contains("No name matching")) {
                return "the peer's certificate is not valid for the requested host";
            }
            if (message.contains("Illegal given domain name")) {
                return "the requested host is no server name of TLS (expected: letters, digits and hyphens)";
            }
            return soFar == null ? "the peer's certificate is not acceptable" : soFar;
        }
        return soFar;
    }

    private static @Nullable String ofAlert(@Nullable String message) {
        if (message == null) {
            return null;
        }
        String text = normal(message);
        if (isNoProtocol(text)) {
            return "no protocol inside TLS in common (alert no_application_protocol)";
        }
        if (text.contains("not_an_ssl/tls_record")
                || text.contains("wrong_version_number")
                || text.contains("http_request")) {
            return "the peer does not speak TLS";
        }
        if (text.contains("protocol_version") || text.contains("unsupported_protocol")) {
            return "no TLS version in common (expected: TLS 1.2 or 1.3)";
        }
        if (text.contains("unknown_ca")) {
            return "the peer does not trust the certificate authority (alert unknown_ca)";
        }
        if (text.contains("certificate_unknown")) {
            return "the peer refused the certificate (alert certificate_unknown)";
        }
        if (text.contains("bad_certificate")) {
            return "the peer refused the certificate (alert bad_certificate)";
        }
        if (text.contains("certificate_required")) {
            return "the peer asks for a client certificate";
        }
        if (text.contains("unrecognized_name")) {
            return "the peer does not know the requested name (alert unrecognized_name)";
        }
        if (text.contains("no_shared_cipher") || text.contains("handshake_failure") || text.contains("no_cipher")) {
            return "no TLS parameters in common (alert handshake_failure)";
        }
        if (text.contains("timed_out")) {
            return "the TLS handshake timed out";
        }
        return null;
    }
}
