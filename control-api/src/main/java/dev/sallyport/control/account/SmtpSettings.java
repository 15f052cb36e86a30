package dev.sallyport.control.account;

import org.jspecify.annotations.Nullable;

/**
 * A mail server.
 *
 * @param username null to send without signing in
 * @param password null when there is no user name
 * @param startTls whether to insist on encryption (RFC 3207)
 */
public record SmtpSettings(
        String host,
        int port,
        @Nullable String username,
        @Nullable String password,
        String from,
        boolean startTls) {

    /** Without the password. */
    @Override
    public String toString() {
        return "SmtpSettings[" + host + ":" + port + "]";
    }
}
