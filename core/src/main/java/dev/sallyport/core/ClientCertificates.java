package dev.sallyport.core;

import dev.sallyport.core.config.ClientCertificate;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.secret.SecretScope;
import dev.sallyport.core.secret.SecretStore;
import dev.sallyport.core.tls.ClientIdentities;
import dev.sallyport.core.tls.ClientIdentity;
import dev.sallyport.core.tls.TlsMaterialException;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Secret;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * {@code tls.client_certificates} in force. Their keys stay fresh until a reload replaces them. Thread-safe; preparing
 * blocks while they are read.
 */
final class ClientCertificates implements AutoCloseable {

    private final SecretStore secrets;
    private volatile Prepared current;

    ClientCertificates(SecretStore secrets) {
        this.secrets = secrets;
        this.current = new Prepared(ClientIdentities.NONE, secrets.open());
    }

    /** Certificates with their keys, not yet in force; to be passed to {@link #swap} or closed. */
    record Prepared(ClientIdentities identities, SecretScope keys) implements AutoCloseable {

        @Override
        public void close() {
            keys.close();
        }
    }

    /** Reads certificates and keys, and reports all that cannot be used; returns null then. */
    @Nullable Prepared prepare(ConfigResult.Loaded loaded, Consumer<String> stale, Consumer<ConfigProblem> problems) {
        List<ClientCertificate> configured = loaded.config().tls().clientCertificates();
        SecretScope scope = secrets.open();
        List<ClientIdentity> identities = new ArrayList<>();
        try (SecretScope reader = secrets.renew(stale)) {
            for (int i = 0; i < configured.size(); i++) {
                ClientIdentity identity = read(configured.get(i), i, reader, scope, loaded, problems);
                if (identity != null) {
                    identities.add(identity);
                }
            }
        }
        if (identities.size() == configured.size()) {
            return new Prepared(ClientIdentities.of(identities), scope);
        }
        scope.close();
        return null;
    }

    private static @Nullable ClientIdentity read(
            ClientCertificate one,
            int index,
            SecretScope reader,
            SecretScope scope,
            ConfigResult.Loaded loaded,
            Consumer<ConfigProblem> problems) {
        String pointer = "/tls/client_certificates/" + index + "/cert";
        try {
            reader.resolve(one.key());
            Secret key = scope.resolve(one.key());
            if (!key.available()) {
                throw new ConfigException(one.key().pointer(), "the private key has no value", "a key in PEM");
            }
            return ClientIdentity.read(one.rules(), one.cert(), key);
        } catch (ConfigException e) {
            problems.accept(new ConfigProblem(
                    loaded.places().of(e.pointer()), e.pointer(), String.valueOf(e.getMessage()), e.expected()));
        } catch (TlsMaterialException e) {
            problems.accept(new ConfigProblem(
                    loaded.places().of(pointer), pointer, e.file() + ": " + e.problem(), e.expected()));
        }
        return null;
    }

    /** Puts these in force, unless they are those that are; returns what is in force then. */
    ClientIdentities swap(Prepared next) {
        Prepared before = current;
        if (next.identities().equals(before.identities())) {
            next.close();
            return before.identities();
        }
        current = next;
        before.close();
        return next.identities();
    }

    @Override
    public void close() {
        current.close();
    }
}
