package dev.sallyport.transforms.oauthtoken;

import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Secret;
import dev.sallyport.spi.SecretRef;
import java.security.InvalidKeyException;
import java.security.interfaces.RSAPrivateKey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The resolved secrets of one entry. Thread-safe. */
final class Credentials {

    private final Map<String, Secret> byName = new LinkedHashMap<>();
    private final Map<String, Secret> headers = new LinkedHashMap<>();
    private final Secret[] all;

    private Credentials(OauthTokenConfig.Entry entry, BuildContext context) throws ConfigException {
        for (Map.Entry<String, SecretRef> credential : entry.credentials().entrySet()) {
            byName.put(credential.getKey(), context.secret(credential.getValue()));
        }
        for (Map.Entry<String, SecretRef> header : entry.tokenEndpointHeaders().entrySet()) {
            headers.put(header.getKey(), context.secret(header.getValue()));
        }
        List<Secret> both = new ArrayList<>(byName.values());
        both.addAll(headers.values());
        all = both.toArray(new Secret[0]);
    }

    /** @param pointer of the entry */
    static Credentials of(OauthTokenConfig.Entry entry, String pointer, BuildContext context) throws ConfigException {
        Credentials credentials = new Credentials(entry, context);
        Secret key = credentials.byName.get("private_key");
        if (key != null && key.available()) {
            try {
                RsaKeys.parse(key.value().text());
            } catch (InvalidKeyException e) {
                throw new ConfigException(pointer + "/private_key", String.valueOf(e.getMessage()), RsaKeys.EXPECTED);
            }
        }
        return credentials;
    }

    /** Increases when any of them changes. */
    long version() {
        long sum = 0;
        for (Secret secret : all) {
            sum += secret.version();
        }
        return sum;
    }

    /** Whether all of them have a value. */
    boolean available() {
        for (Secret secret : all) {
            if (!secret.available()) {
                return false;
            }
        }
        return true;
    }

    boolean has(String name) {
        return byName.containsKey(name);
    }

    /** A credential that the grant needs. */
    String text(String name) {
        return secret(name).value().text();
    }

    /** An optional credential, or null. */
    @Nullable String textOrNull(String name) {
        return has(name) ? text(name) : null;
    }

    long version(String name) {
        return secret(name).version();
    }

    /** The version of the refresh token; 0 where the grant needs none. */
    long refreshVersion() {
        return has("refresh_token") ? version("refresh_token") : 0;
    }

    private Secret secret(String name) {
        return Objects.requireNonNull(byName.get(name), name);
    }

    /** The key that signs assertions. */
    RSAPrivateKey privateKey() throws InvalidKeyException {
        return RsaKeys.parse(text("private_key"));
    }

    /** Headers of the request for a token. */
    Map<String, Secret> headers() {
        return headers;
    }

    @Override
    public String toString() {
        return "Credentials" + byName.keySet();
    }
}
