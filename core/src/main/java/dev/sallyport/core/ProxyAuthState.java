package dev.sallyport.core;

import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.Locations;
import dev.sallyport.core.config.ProxyAuth;
import dev.sallyport.core.net.request.ProxyUsers;
import dev.sallyport.core.secret.SecretScope;
import dev.sallyport.core.secret.SecretStore;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Secret;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * {@code proxy.auth} in force. Its passwords stay fresh until a reload replaces it. Thread-safe; preparing blocks
 * while passwords are read.
 */
final class ProxyAuthState implements AutoCloseable {

    private final SecretStore secrets;
    private volatile Prepared current;

    ProxyAuthState(SecretStore secrets) {
        this.secrets = secrets;
        this.current = new Prepared(ProxyUsers.OFF, secrets.open());
    }

    /** Users with their passwords, not yet in force; to be passed to {@link #swap} or closed. */
    record Prepared(ProxyUsers users, SecretScope passwords) implements AutoCloseable {

        @Override
        public void close() {
            passwords.close();
        }
    }

    /**
     * Reads the passwords, and reports all that cannot be read; returns null then.
     *
     * @param reader reads them; what it has read outlives it
     */
    @Nullable Prepared prepare(@Nullable ProxyAuth auth, SecretScope reader, Locations places, Consumer<ConfigProblem> problems) {
        SecretScope scope = secrets.open();
        if (auth == null) {
            return new Prepared(ProxyUsers.OFF, scope);
        }
        Map<String, Secret> passwords = new LinkedHashMap<>();
        for (ProxyAuth.User user : auth.users()) {
            try {
                reader.resolve(user.password());
                passwords.put(user.name(), scope.resolve(user.password()));
            } catch (ConfigException e) {
                String pointer = user.password().pointer();
                problems.accept(
                        new ConfigProblem(places.of(pointer), pointer, String.valueOf(e.getMessage()), e.expected()));
            }
        }
        if (passwords.size() == auth.users().size()) {
            return new Prepared(ProxyUsers.of(auth.required(), passwords), scope);
        }
        scope.close();
        return null;
    }

    /** Keeps the passwords of these users fresh, and no longer those of the previous ones. */
    void swap(Prepared next) {
        Prepared before = current;
        current = next;
        before.close();
    }

    @Override
    public void close() {
        current.close();
    }
}
