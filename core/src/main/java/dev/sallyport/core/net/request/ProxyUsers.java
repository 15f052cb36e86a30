package dev.sallyport.core.net.request;

import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.spi.Secret;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The users of {@code proxy.auth}, and those that came with workloads. Thread-safe; never blocks: a password that its
 * source has changed counts at once.
 */
public final class ProxyUsers {

    /** No users: no authentication. */
    public static final ProxyUsers OFF = new ProxyUsers(false, false, Map.of(), Nobody.INSTANCE);

    /** The refusal of a request without credentials. */
    public static final String MISSING =
            "The proxy requires credentials; give clients its address as http://name:password@host:port.";

    private static final byte[] NOBODY = sha256().digest();

    private final boolean asked;
    private final boolean required;
    private final Map<String, User> users;
    private final Delivered others;

    /** Users that came with workloads. */
    public interface Delivered {

        /** The SHA-256 digest of this user's password, or null. */
        byte @Nullable [] digest(String user);

        /** The user whose password of this digest is enough, whatever name comes with it, or null. */
        @Nullable String userOf(byte[] digest);
    }

    private enum Nobody implements Delivered {
        INSTANCE;

        @Override
        public byte @Nullable [] digest(String user) {
            return null;
        }

        @Override
        public @Nullable String userOf(byte[] digest) {
            return null;
        }
    }

    private ProxyUsers(boolean asked, boolean required, Map<String, User> users, Delivered others) {
        this.asked = asked;
        this.required = required;
        this.users = users;
        this.others = others;
    }

    /**
     * Some users.
     *
     * @param required whether requests without credentials are refused
     * @param passwords by name
     */
    public static ProxyUsers of(boolean required, Map<String, Secret> passwords) {
        Map<String, User> users = new HashMap<>();
        passwords.forEach((name, password) -> users.put(name, new User(password)));
        return new ProxyUsers(true, required, users, Nobody.INSTANCE);
    }

    /** These users and others; where both know a user, only the password of this one counts. */
    public ProxyUsers and(Delivered more) {
        return new ProxyUsers(true, required, users, more);
    }

    /** Whether credentials are checked at all. */
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
     * @throws RefusedException when the name or the password is wrong: neither content nor timing of the answer reveals
     *     which
     */
    public AuthenticatedUser authenticate(ProxyCredentials shown) throws RefusedException {
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
        byte[] other = user == null ? others.digest(shown.name()) : null;
        byte[] expected = user != null ? user.digest() : other != null ? other : NOBODY;
        boolean right = MessageDigest.isEqual(digest, expected);
        if ((user == null && other == null) || !right) {
            return byPassword(digest);
        }
        return other == null
                ? AuthenticatedUser.ofFile(shown.name())
                : AuthenticatedUser.ofWorkload(shown.name(), digest);
    }

    /** Whoever has this password, where it tells that by itself. */
    private AuthenticatedUser byPassword(byte[] digest) throws RefusedException {
        String user = others.userOf(digest);
        byte[] expected = user == null || users.containsKey(user) ? null : others.digest(user);
        if (user == null || expected == null || !MessageDigest.isEqual(digest, expected)) {
            throw refused("The credentials for the proxy are wrong.");
        }
        return AuthenticatedUser.ofWorkload(user, digest);
    }

    /** Whether there is a user of this name. */
    public boolean has(String name) {
        return users.containsKey(name) || others.digest(name) != null;
    }

    /**
     * Whether a user who authenticated earlier is still the one of that name: the file still has the user, or the
     * password that came with a workload is still the one that was shown.
     */
    public boolean knows(AuthenticatedUser user) {
        boolean ofFile = users.containsKey(user.name());
        return user.isDelivered() ? !ofFile && user.showed(others.digest(user.name())) : ofFile;
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

        private final Secret password;
        private volatile @Nullable Digest known;

        User(Secret password) {
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
