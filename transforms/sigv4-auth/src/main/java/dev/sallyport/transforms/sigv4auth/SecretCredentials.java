package dev.sallyport.transforms.sigv4auth;

import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Secret;
import dev.sallyport.spi.SecretRef;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Credentials that the configuration names as secrets. */
final class SecretCredentials implements Credentials {

    private final Secret accessKeyId;
    private final Secret secretAccessKey;
    private final @Nullable Secret sessionToken;
    private volatile @Nullable Known known;

    /** @param keys null when the values cannot be used */
    private record Known(
            long id, long secret, long token, @Nullable Keys keys) {

        boolean is(long nowId, long nowSecret, long nowToken) {
            return id == nowId && secret == nowSecret && token == nowToken;
        }

        @Override
        public String toString() {
            return "Known[***]";
        }
    }

    private SecretCredentials(Secret accessKeyId, Secret secretAccessKey, @Nullable Secret sessionToken) {
        this.accessKeyId = accessKeyId;
        this.secretAccessKey = secretAccessKey;
        this.sessionToken = sessionToken;
    }

    static SecretCredentials of(SigV4AuthConfig config, BuildContext context) throws ConfigException {
        SecretRef token = config.sessionToken();
        SecretCredentials credentials = new SecretCredentials(
                context.secret(Objects.requireNonNull(config.accessKeyId(), "validated")),
                context.secret(Objects.requireNonNull(config.secretAccessKey(), "validated")),
                token == null ? null : context.secret(token));
        if (credentials.available() && credentials.current() == null) {
            throw new ConfigException(
                    "/access_key_id",
                    "access key id, secret access key or session token cannot be used",
                    "printable ASCII without spaces, and in the access key id no slash or comma");
        }
        return credentials;
    }

    private boolean available() {
        return accessKeyId.available()
                && secretAccessKey.available()
                && (sessionToken == null || sessionToken.available());
    }

    @Override
    public @Nullable Keys current() {
        if (!available()) {
            return null;
        }
        long id = accessKeyId.version();
        long secret = secretAccessKey.version();
        long token = sessionToken == null ? 0 : sessionToken.version();
        Known last = known;
        if (last == null || !last.is(id, secret, token)) {
            Keys keys = Keys.of(
                    accessKeyId.value().text(),
                    secretAccessKey.value().text(),
                    sessionToken == null ? null : sessionToken.value().text());
            last = new Known(id, secret, token, keys);
            known = last;
        }
        return last.keys();
    }

    @Override
    public String toString() {
        return "SecretCredentials[" + accessKeyId.name() + "]";
    }
}
