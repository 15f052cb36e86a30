package dev.sallyport.core.net.request;

import dev.sallyport.core.exchange.ConnectionInfo;
import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.spi.Principal;
import dev.sallyport.spi.Secret;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The users of {@code proxy.auth}. A user's name is the workload of its requests. Thread-safe; never blocks: a password
 * that its source has changed counts at once.
 */
public final class ProxyUsers {

    /** No users: nobody needs to authenticate. */
    public static final ProxyUsers OFF = new ProxyUsers(false, false, Map.of());

    /** The refusal of a request without credentials. */
    public static final String MISSING =
            "The proxy requires credentials; give clients its address as http://name:password@host:port.";

    private static final byte[] NOBODY = sha256().digest();

    private final boolean asked;
    private final boolean required;
    private final Map<String, User> users;

    private ProxyUsers(boolean asked, boolean required, Map<String, User> users) {
        this.asked = asked;
        this.required = required;
        this.users = users;
    }

    /**
     * Some users.
     *
     * @param required whether requests without credentials are refused
     * @param passwords by name
     */
    public static ProxyUsers of(boolean required, Map<String, Secret> passwords) {
        Map<String, User> users = new HashMap<>();
        passwords.forEach((name, password) -> users.put(name, new User(name, password)));
        return new ProxyUsers(true, required, users);
    }

    /** Whether credentials count at all. */
    public boolean asked() {
        return asked;
    }

    /** Whether requests without credentials are refused. */
    public boolean required() {
        return required;
    }

    /**
     * Identifies the user.
     *
     * @throws Refused when the name or the password is wrong: the answer does not reveal which, in content or timing
     */
    public Principal authenticate(ProxyCredentials shown) throws RefusedException {
        byte[] digest = sha256().digest(shown.password());
        User user = users.get(shown.name());
        if (user != null && !user.password.available()) {
            throw new RefusedException(
                    new Refusal(
                            403,
                            "secret_unavailable",
                            "The password of this user cannot be read at the moment.",
                            "http_request_denied"),
                    null);
        }
        boolean right = MessageDigest.isEqual(digest, user == null ? NOBODY : user.digest());
        if (user == null || !right) {
            throw refused("The credentials for the proxy are wrong.");
        }
        return user.principal;
    }

    /** The refusal for missing or unusable credentials. */
    public static RefusedException refused(String detail) {
        return new RefusedException(
                new Refusal(407, "proxy_authentication_required", detail, "http_request_denied"), null);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256: not there (expected: every JDK has it)", e);
        }
    }

    private static final class User {

        private final Principal principal;
        private final Secret password;
        private volatile @Nullable Digest known;

        User(String name, Secret password) {
            this.principal = Principal.of(name, ConnectionInfo.PROXY_AUTH);
            this.password = password;
        }

        /** The version is read first: if the value changes in between, the next call makes a new digest. */
        byte[] digest() {
            long version = password.version();
            Digest digest = known;
            if (digest == null || digest.version != version) {
                digest = new Digest(version, sha256().digest(password.value().bytes()));
                known = digest;
            }
            return digest.bytes;
        }
    }

    private static final class Digest {

        private final long version;
        private final byte[] bytes;

        Digest(long version, byte[] bytes) {
            this.version = version;
            this.bytes = bytes;
        }
    }
}
