package dev.sallyport.server.management;

import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.ManagementSection;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The key of the management API. Kept as its hash; compared in a time that depends on neither key. */
final class BearerKey {

    private static final String SCHEME = "Bearer ";
    private static final String POINTER = "/management/api_key_env";

    private final byte[] hash;

    private BearerKey(byte[] hash) {
        this.hash = hash;
    }

    static BearerKey of(String key) {
        return new BearerKey(hash(key));
    }

    /** The key that the variable holds, or null when it holds none. */
    static @Nullable BearerKey of(ManagementSection section, Map<String, String> environment) {
        String key = environment.getOrDefault(section.apiKeyEnv(), "");
        return key.isEmpty() ? null : of(key);
    }

    /** Why the API cannot be served by a configuration: its variable holds no key. */
    static List<ConfigProblem> problems(ConfigResult.Loaded loaded, Map<String, String> environment) {
        ManagementSection section = loaded.config().management();
        if (section == null || of(section, environment) != null) {
            return List.of();
        }
        String name = section.apiKeyEnv();
        String what = environment.containsKey(name) ? "is empty" : "is not set";
        return List.of(new ConfigProblem(
                loaded.places().of(POINTER),
                POINTER,
                "the environment variable " + name + " " + what,
                "the key of the management API"));
    }

    /** Whether the value of an Authorization header holds this key. */
    boolean opens(String authorization) {
        boolean bearer = authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length());
        String shown = bearer ? authorization.substring(SCHEME.length()).strip() : "";
        return MessageDigest.isEqual(hash, hash(shown)) && bearer;
    }

    private static byte[] hash(String key) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    @Override
    public String toString() {
        return "BearerKey[***]";
    }
}
