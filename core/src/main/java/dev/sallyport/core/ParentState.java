package dev.sallyport.core;

import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.NoProxy;
import dev.sallyport.core.config.ProxyUrl;
import dev.sallyport.core.config.ProxyVariables;
import dev.sallyport.core.config.UpstreamProxy;
import dev.sallyport.core.parent.Parent;
import dev.sallyport.core.parent.ParentLogin;
import dev.sallyport.core.parent.Parents;
import dev.sallyport.core.secret.SecretScope;
import dev.sallyport.core.secret.SecretStore;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Secret;
import dev.sallyport.spi.SecretRef;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code proxy.upstream_proxy} in force. Its credentials stay fresh until a reload replaces it. Thread-safe; preparing
 * blocks while they are read.
 */
final class ParentState implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ParentState.class);

    private final SecretStore secrets;
    private final Map<String, String> variables;
    private final Consumer<Parents> listener;
    private volatile Prepared current;

    /**
     * @param environment the variables of the process
     * @param listener receives the parents whenever they are put in force
     */
    ParentState(SecretStore secrets, Map<String, String> environment, Consumer<Parents> listener) {
        this.listener = listener;
        this.secrets = secrets;
        this.variables = ProxyVariables.given(environment);
        this.current = new Prepared(Parents.NONE, "", secrets.open());
    }

    /** Parents with their credentials, not yet in force; to be passed to {@link #swap} or closed. */
    record Prepared(Parents parents, String noProxy, SecretScope credentials) implements AutoCloseable {

        @Override
        public void close() {
            credentials.close();
        }
    }

    /** Reads the credentials, and reports all that cannot be read; returns null then. */
    @Nullable Prepared prepare(ConfigResult.Loaded loaded, Consumer<String> stale, Consumer<ConfigProblem> problems) {
        UpstreamProxy section = loaded.config().proxy().upstreamProxy();
        SecretScope scope = secrets.open();
        if (section == null) {
            return new Prepared(Parents.NONE, "", scope);
        }
        Secret user;
        Secret password;
        try (SecretScope reader = secrets.renew(stale)) {
            user = read(section.username(), reader, scope);
            password = read(section.password(), reader, scope);
        } catch (ConfigException e) {
            String pointer = e.pointer();
            problems.accept(new ConfigProblem(
                    loaded.places().of(pointer), pointer, String.valueOf(e.getMessage()), e.expected()));
            scope.close();
            return null;
        }
        ParentLogin login = user == null ? ParentLogin.NONE : new ParentLogin(user, password);
        Parent http = parent(section, section.httpProxy(), login);
        Parent https = parent(section, section.httpsProxy(), login);
        return new Prepared(new Parents(http, https, NoProxy.of(section.noProxy())), section.noProxy(), scope);
    }

    private static @Nullable Secret read(@Nullable SecretRef ref, SecretScope reader, SecretScope scope)
            throws ConfigException {
        if (ref == null) {
            return null;
        }
        reader.resolve(ref);
        return scope.resolve(ref);
    }

    private static @Nullable Parent parent(UpstreamProxy section, @Nullable ProxyUrl url, ParentLogin login) {
        if (url == null) {
            return null;
        }
        String user = url.user();
        ParentLogin shown = user == null ? login : ParentLogin.of(user, Objects.requireNonNullElse(url.password(), ""));
        return Parent.of(url.scheme(), url.host(), url.port(), section.isRemote(url), shown);
    }

    /** Puts these parents in force, and says so where they are others than before. */
    Parents swap(Prepared next) {
        Prepared before = current;
        current = next;
        before.close();
        Parents parents = next.parents();
        if (!parents.equals(before.parents())) {
            LOG.info(
                    "connections go out: with TLS {}, without TLS {}",
                    way(parents.https(), "https_proxy"),
                    way(parents.http(), "http_proxy"));
        }
        listener.accept(parents);
        return parents;
    }

    /** What a program in whose environment it stands goes out by, credentials included. */
    Map<String, String> variables() {
        Prepared now = current;
        Map<String, String> told = new LinkedHashMap<>();
        tell("HTTP_PROXY", now.parents().http(), told);
        tell("HTTPS_PROXY", now.parents().https(), told);
        if (!told.isEmpty()) {
            told.put("NO_PROXY", now.noProxy());
        }
        return told;
    }

    private static void tell(String variable, @Nullable Parent parent, Map<String, String> told) {
        if (parent != null) {
            told.put(variable, parent.withLogin());
        }
    }

    private String way(@Nullable Parent parent, String field) {
        String variable = variables.get(field);
        if (parent == null) {
            return "directly";
        }
        return "through " + parent
                + (variable == null ? "" : " (" + variable + " of the environment overrides proxy.upstream_proxy)");
    }

    @Override
    public void close() {
        current.close();
    }
}
