package dev.sallyport.core.parent;

import dev.sallyport.spi.Secret;
import dev.sallyport.spi.SecretValue;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * The credentials shown to a parent: a user and a password, read each time, since their sources may change them. The
 * text form shows neither. Thread-safe.
 *
 * @param user null for no credentials
 * @param password null for none
 */
public record ParentLogin(@Nullable Secret user, @Nullable Secret password) {

    /** No credentials. */
    public static final ParentLogin NONE = new ParentLogin(null, null);

    /** The most bytes of a name or password: their lengths are one byte (RFC 1929, 2). */
    private static final int SOCKS_BYTES = 255;

    /** A constant value. */
    private record Fixed(String name, SecretValue value) implements Secret {

        @Override
        public boolean available() {
            return true;
        }

        @Override
        public long version() {
            return 1;
        }

        @Override
        public String toString() {
            return "Fixed[" + name + "]";
        }
    }

    /** A constant user and password. */
    public static ParentLogin of(String user, String password) {
        return new ParentLogin(
                new Fixed("the user", SecretValue.of(user)), new Fixed("the password", SecretValue.of(password)));
    }

    /** Whether there are credentials. */
    public boolean given() {
        return user != null;
    }

    /**
     * The value of {@code Proxy-Authorization} in the scheme Basic (RFC 7617); null without credentials.
     *
     * @throws ParentException when they are unavailable or cannot be encoded
     */
    public @Nullable String basic() throws ParentException {
        Secret named = user;
        if (named == null) {
            return null;
        }
        String name = text(named);
        String all = name + ":" + text(password);
        if (name.indexOf(':') >= 0 || all.chars().anyMatch(c -> c < ' ' || c == 0x7F)) {
            throw new ParentException(
                    ParentException.Why.LOGIN, "a colon in the user name, or a control character in the credentials");
        }
        return "Basic " + Base64.getEncoder().encodeToString(all.getBytes(StandardCharsets.UTF_8));
    }

    /** The request of RFC 1929, 2. */
    byte[] socks() throws ParentException {
        byte[] name = text(user).getBytes(StandardCharsets.UTF_8);
        byte[] secret = text(password).getBytes(StandardCharsets.UTF_8);
        if (name.length == 0 || name.length > SOCKS_BYTES || secret.length == 0 || secret.length > SOCKS_BYTES) {
            throw new ParentException(
                    ParentException.Why.LOGIN, "user and password must have 1 to 255 bytes each for SOCKS");
        }
        byte[] request = new byte[3 + name.length + secret.length];
        request[0] = 1;
        request[1] = (byte) name.length;
        System.arraycopy(name, 0, request, 2, name.length);
        request[2 + name.length] = (byte) secret.length;
        System.arraycopy(secret, 0, request, 3 + name.length, secret.length);
        return request;
    }

    /**
     * The userinfo of a URL (RFC 3986, 3.2.1), with the at sign; empty without credentials and while one is
     * unavailable.
     */
    String userInfo() {
        try {
            return given() ? encoded(text(user)) + ":" + encoded(text(password)) + "@" : "";
        } catch (ParentException e) {
            return "";
        }
    }

    private static String encoded(String part) {
        return URLEncoder.encode(part, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static String text(@Nullable Secret part) throws ParentException {
        if (part == null) {
            return "";
        }
        if (!part.available()) {
            throw new ParentException(
                    ParentException.Why.LOGIN, "secret " + part.name() + " of its credentials is not available");
        }
        return part.value().text();
    }

    @Override
    public String toString() {
        return given() ? "ParentLogin[***]" : "ParentLogin[]";
    }
}
