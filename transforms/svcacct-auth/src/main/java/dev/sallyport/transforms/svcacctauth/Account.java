package dev.sallyport.transforms.svcacctauth;

import com.google.auth.http.HttpTransportFactory;
import com.google.auth.oauth2.GoogleCredentials;
import com.google.auth.oauth2.ServiceAccountCredentials;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.SecretRef;
import dev.sallyport.toolkit.token.MintException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The account for which tokens are minted. Thread-safe. */
sealed interface Account {

    /** Increases when its credentials have changed. */
    long version();

    /** Its credentials, limited to the configured scopes. May block. */
    GoogleCredentials credentials() throws MintException;

    /** The account's identity, as far as it is known. */
    Identity identity();

    /**
     * The identity of an account.
     *
     * @param email null when unknown
     * @param project null when unknown
     */
    record Identity(@Nullable String email, @Nullable String project) {
        static final Identity UNKNOWN = new Identity(null, null);

        static Identity of(GoogleCredentials credentials) {
            return credentials instanceof ServiceAccountCredentials account
                    ? new Identity(account.getClientEmail(), account.getProjectId())
                    : UNKNOWN;
        }
    }

    /**
     * What its access tokens are for.
     *
     * @param subject whom the account acts for; null for itself
     */
    record Purpose(List<String> scopes, @Nullable String subject) {}

    /** An account with a key; when the key can no longer be read, the last one stays in use. */
    final class Keyed implements Account {

        private final KeySource source;
        private final HttpTransportFactory transport;
        private final Purpose purpose;
        private volatile @Nullable Parsed last;

        /**
         * Opens the key that a configuration names.
         *
         * @param path of a file that has to be there; null where {@code secret} is given
         */
        static Keyed open(
                @Nullable Path path,
                @Nullable SecretRef secret,
                BuildContext context,
                Purpose purpose,
                HttpTransportFactory transport)
                throws ConfigException {
            boolean file = path != null || secret == null;
            String pointer = file ? "/keyfile_path" : "/keyfile";
            KeySource source = path != null || secret == null
                    ? new KeySource.InFile(Objects.requireNonNull(path, "keyfile_path"))
                    : new KeySource.InSecret(context.secret(secret));
            Keyed account = new Keyed(source, transport, purpose);
            if (!file) {
                context.onSecretChange(account::readAnew);
            }
            try {
                if (!account.load() && file) {
                    throw new ConfigException(pointer, "the file cannot be read", AccountKey.EXPECTED);
                }
                return account;
            } catch (AccountKey.InvalidKeyException e) {
                throw new ConfigException(pointer, String.valueOf(e.getMessage()), AccountKey.EXPECTED);
            }
        }

        private record Parsed(byte[] json, ServiceAccountCredentials credentials) {}

        Keyed(KeySource source, HttpTransportFactory transport, Purpose purpose) {
            this.source = source;
            this.transport = transport;
            this.purpose = purpose;
        }

        /**
         * Reads the key. One at a time: what was read before a change is never stored after what {@link #readAnew} has
         * read.
         *
         * @return false when there is none
         */
        synchronized boolean load() throws AccountKey.InvalidKeyException {
            byte[] json = source.read();
            if (json == null) {
                if (source instanceof KeySource.InSecret) {
                    last = null; // deleted: a secret keeps its last good value itself
                }
                return last != null;
            }
            Parsed before = last;
            if (before == null || !Arrays.equals(before.json, json)) {
                last = new Parsed(json, AccountKey.parse(json, transport));
            }
            return true;
        }

        /** The secret has changed: the former key goes at once. */
        synchronized void readAnew() {
            try {
                load();
            } catch (AccountKey.InvalidKeyException e) {
                last = null; // whoever needs a token is told
            }
        }

        @Override
        public long version() {
            return source.version();
        }

        @Override
        public GoogleCredentials credentials() throws MintException {
            GoogleCredentials scoped = key().createScoped(purpose.scopes());
            return purpose.subject() == null ? scoped : scoped.createDelegated(purpose.subject());
        }

        /** The key now, or the last one that could be read. May block. */
        ServiceAccountCredentials key() throws MintException {
            try {
                load();
            } catch (AccountKey.InvalidKeyException e) {
                throw new MintException("key_unusable");
            }
            Parsed current = last;
            if (current == null) {
                throw new MintException("credential_unavailable");
            }
            return current.credentials;
        }

        @Override
        public Identity identity() {
            Parsed current = last;
            return current == null ? Identity.UNKNOWN : Identity.of(current.credentials);
        }

        @Override
        public String toString() {
            return "Keyed[***]";
        }
    }

    /** An account whose credentials the environment provides. */
    record Provided(GoogleCredentials credentials) implements Account {

        @Override
        public long version() {
            return 1;
        }

        @Override
        public Identity identity() {
            return Identity.of(credentials);
        }

        @Override
        public String toString() {
            return "Provided[***]";
        }
    }
}
