package dev.sallyport.transforms.svcacctauth;

import com.google.auth.http.HttpTransportFactory;
import com.google.auth.oauth2.GoogleCredentials;
import com.google.auth.oauth2.ServiceAccountCredentials;
import dev.sallyport.toolkit.token.MintException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The account for which tokens are minted. Thread-safe. */
sealed interface Account {

    /** Grows when its credentials have changed. */
    long version();

    /** Its credentials, scoped. May block. */
    GoogleCredentials credentials() throws MintException;

    /** Who it is, as far as that is known. */
    Identity identity();

    /**
     * Who an account is.
     *
     * @param email null when it is not known
     * @param project null when it is not known
     */
    record Identity(@Nullable String email, @Nullable String project) {
        static final Identity UNKNOWN = new Identity(null, null);

        static Identity of(GoogleCredentials credentials) {
            return credentials instanceof ServiceAccountCredentials account
                    ? new Identity(account.getClientEmail(), account.getProjectId())
                    : UNKNOWN;
        }
    }

    /** One whose key is at hand; a key that cannot be read any more goes on being used. */
    final class Keyed implements Account {

        private final KeySource source;
        private final HttpTransportFactory transport;
        private final List<String> scopes;
        private final @Nullable String subject;
        private volatile @Nullable Parsed last;

        private record Parsed(byte[] json, ServiceAccountCredentials credentials) {}

        Keyed(KeySource source, HttpTransportFactory transport, List<String> scopes, @Nullable String subject) {
            this.source = source;
            this.transport = transport;
            this.scopes = scopes;
            this.subject = subject;
        }

        /**
         * Reads the key.
         *
         * @return false when there is none
         */
        boolean load() throws AccountKey.InvalidKeyException {
            byte[] json = source.read();
            if (json == null) {
                return last != null;
            }
            Parsed before = last;
            if (before == null || !Arrays.equals(before.json, json)) {
                last = new Parsed(json, AccountKey.parse(json, transport));
            }
            return true;
        }

        @Override
        public long version() {
            return source.version();
        }

        @Override
        public GoogleCredentials credentials() throws MintException {
            try {
                load();
            } catch (AccountKey.InvalidKeyException e) {
                throw new MintException("key_unusable");
            }
            Parsed current = last;
            if (current == null) {
                throw new MintException("credential_unavailable");
            }
            GoogleCredentials scoped = current.credentials.createScoped(scopes);
            return subject == null ? scoped : scoped.createDelegated(subject);
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

    /** One whose credentials the environment provides. */
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
