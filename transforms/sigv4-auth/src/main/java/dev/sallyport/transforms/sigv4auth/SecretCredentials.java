package dev.sallyport.transforms.sigv4auth;

import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Secret;
import dev.sallyport.spi.SecretRef;
import dev.sallyport.toolkit.secret.DerivedValue;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Credentials that the configuration refers to as secrets. */
final class SecretCredentials implements Credentials {

    private final Secret accessKeyId;
    private final Secret secretAccessKey;
    private final @Nullable Secret sessionToken;
    private final DerivedValue<Read> keys;

    /** @param keys null when the values cannot be used */
    private record Read(@Nullable Keys keys) {

        @Override
        public String toString() {
            return "Read[***]";
        }
    }

    private SecretCredentials(
            Secret accessKeyId, Secret secretAccessKey, @Nullable Secret sessionToken, BuildContext context) {
        this.accessKeyId = accessKeyId;
        this.secretAccessKey = secretAccessKey;
        this.sessionToken = sessionToken;
        this.keys = sessionToken == null
                ? new DerivedValue<>(context, this::read, accessKeyId, secretAccessKey)
                : new DerivedValue<>(context, this::read, accessKeyId, secretAccessKey, sessionToken);
    }

    static SecretCredentials of(SigV4AuthConfig config, BuildContext context) throws ConfigException {
        SecretRef token = config.sessionToken();
        SecretCredentials credentials = new SecretCredentials(
                context.secret(Objects.requireNonNull(config.accessKeyId(), "validated")),
                context.secret(Objects.requireNonNull(config.secretAccessKey(), "validated")),
                token == null ? null : context.secret(token),
                context);
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
        Read read = keys.current();
        return read == null ? null : read.keys();
    }

    private Read read() {
        return new Read(Keys.of(
                accessKeyId.value().text(),
                secretAccessKey.value().text(),
                sessionToken == null ? null : sessionToken.value().text()));
    }

    @Override
    public String toString() {
        return "SecretCredentials[" + accessKeyId.name() + "]";
    }
}
