package dev.sallyport.transforms.sigv4auth;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentHashMap;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** One state of the real credentials, with the keys derived from them. Thread-safe. */
final class Keys {

    private static final int KEPT = 64;
    private static final int LONGEST_ID = 256;

    private final String accessKeyId;
    private final SecretKeySpec secret;
    private final @Nullable String sessionToken;
    private final ConcurrentHashMap<Scope, SecretKeySpec> derived = new ConcurrentHashMap<>();

    private Keys(String accessKeyId, SecretKeySpec secret, @Nullable String sessionToken) {
        this.accessKeyId = accessKeyId;
        this.secret = secret;
        this.sessionToken = sessionToken;
    }

    /** White space around the values is ignored. Null when the values cannot be sent. */
    static @Nullable Keys of(String accessKeyId, String secretAccessKey, @Nullable String sessionToken) {
        String id = accessKeyId.strip();
        String secret = secretAccessKey.strip();
        String token = sessionToken == null ? null : sessionToken.strip();
        boolean usable = isVisible(id)
                && id.length() <= LONGEST_ID
                && id.indexOf('/') < 0
                && id.indexOf(',') < 0
                && !secret.isEmpty()
                && (token == null || isVisible(token));
        return usable ? new Keys(id, Digests.key(("AWS4" + secret).getBytes(StandardCharsets.UTF_8)), token) : null;
    }

    private static boolean isVisible(String text) {
        return !text.isEmpty() && text.chars().allMatch(c -> c > ' ' && c < 0x7f);
    }

    String accessKeyId() {
        return accessKeyId;
    }

    @Nullable String sessionToken() {
        return sessionToken;
    }

    /** The key of a scope, derived at its first use. */
    SecretKeySpec derive(Scope scope) {
        SecretKeySpec known = derived.get(scope);
        if (known == null) {
            if (derived.size() >= KEPT) {
                derived.clear(); // Workloads choose the days of presigned URLs, so the cache is bounded.
            }
            known = derived.computeIfAbsent(scope, this::derived);
        }
        return known;
    }

    private SecretKeySpec derived(Scope scope) {
        SecretKeySpec day = Digests.key(Digests.mac(secret, scope.date()));
        SecretKeySpec region = Digests.key(Digests.mac(day, scope.region()));
        SecretKeySpec service = Digests.key(Digests.mac(region, scope.service()));
        return Digests.key(Digests.mac(service, Names.TERMINATOR));
    }

    @Override
    public String toString() {
        return "Keys[***]";
    }
}
