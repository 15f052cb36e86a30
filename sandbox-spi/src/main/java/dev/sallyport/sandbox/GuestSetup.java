package dev.sallyport.sandbox;

import java.util.Map;
import java.util.regex.Pattern;

/**
 * What the inside of a VM is told. Values of secrets are none of it: variables hold placeholders.
 *
 * @param hostname 1 to 63 of {@code a-z}, {@code 0-9} and {@code -}, neither first nor last a {@code -}
 * @param authorizedKey the one SSH public key that may log in as root: a line {@code TYPE BASE64 [COMMENT]} without options
 * @param environment variables of each login shell, until {@link VmDriver#refresh} gives it others; see {@link GuestVariables}
 */
public record GuestSetup(String hostname, String authorizedKey, Map<String, String> environment) {

    private static final Pattern HOSTNAME = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");
    private static final Pattern KEY = Pattern.compile(
            "(ssh|ecdsa|sk-ssh|sk-ecdsa)-[a-z0-9@.-]{1,60} [A-Za-z0-9+/]{16,16000}={0,2}( [ -~]{0,256})?");

    /**
     * Checks the forms.
     *
     * @throws IllegalArgumentException when one is another; the message repeats no value of a variable
     */
    public GuestSetup {
        if (!HOSTNAME.matcher(hostname).matches()) {
            throw new IllegalArgumentException("hostname is none (expected: 1 to 63 of a-z, 0-9 and '-')");
        }
        if (!KEY.matcher(authorizedKey).matches()) {
            throw new IllegalArgumentException(
                    "authorizedKey is no SSH public key (expected: one line, TYPE BASE64 [COMMENT])");
        }
        environment = new GuestVariables(environment).values();
    }

    /** Without the values of the variables. */
    @Override
    public String toString() {
        return "GuestSetup[hostname=" + hostname + ", environment=" + environment.keySet() + "]";
    }
}
