package dev.sallyport.core;

import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.core.config.ProxySection;
import dev.sallyport.core.exchange.ExchangeSettings;
import dev.sallyport.core.exchange.LocalSite;
import dev.sallyport.core.exchange.Rechecks;
import java.net.InetSocketAddress;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The configuration in force, and what follows it as a whole: the policy of the file, the limits of exchanges, both
 * sides of TLS, and the way out. Replaced by one thread at a time; read by any.
 */
final class ConfigInForce {

    /**
     * The configuration that sockets and threads were made from: differences need a restart, however many reloads ago
     * they came.
     */
    private final ProxyConfig started;

    private final EmbedderSettings settings;
    private final UpstreamRuntime upstream;
    private final ParentState parents;
    private final ClientCertificates certificates;
    private final PolicyInForce policy;
    private final Rechecks rechecks;

    private volatile TlsRuntime tls;
    private volatile ProxyConfig config;
    private volatile ExchangeSettings limits;
    private volatile LocalSite site;
    private volatile List<String> warnings = List.of();

    /** Prepared and not yet in force: to be passed to {@link #swap}. */
    record Prepared(
            Preflight.Outcome.Ready ready,
            ParentState.Prepared way,
            ClientCertificates.Prepared shown,
            PolicyInForce.Prepared policy) {}

    /** @param tls as {@code started} has it, but for the certificates that origins are shown */
    ConfigInForce(
            ProxyConfig started,
            EmbedderSettings settings,
            TlsRuntime tls,
            UpstreamRuntime upstream,
            ParentState parents,
            ClientCertificates certificates,
            PolicyInForce policy,
            Rechecks rechecks) {
        this.started = started;
        this.settings = settings;
        this.tls = tls;
        this.upstream = upstream;
        this.parents = parents;
        this.certificates = certificates;
        this.policy = policy;
        this.rechecks = rechecks;
        this.config = started;
        this.limits = limitsOf(started);
        this.site = tls.site();
    }

    /** Another mode of TLS needs a restart. */
    private ExchangeSettings limitsOf(ProxyConfig from) {
        return ConfigMapper.exchange(from, started.tls().mode(), settings.problems());
    }

    /**
     * Puts the first configuration in force, as far as that is possible, and says whether all of it is. Blocks.
     *
     * @throws StartException when there is no way out, by which everything else may have to be asked
     */
    boolean open(ConfigResult.Loaded loaded, List<ConfigProblem> problems) throws StartException {
        ParentState.Prepared way = parents.prepare(loaded, stale -> {}, problems::add);
        if (way == null) {
            throw StartException.of(problems);
        }
        upstream.through(parents.swap(way)); // what follows may call out
        ClientCertificates.Prepared shown = certificates.prepare(loaded, stale -> {}, problems::add);
        if (shown != null) {
            tls = tls.showing(certificates.swap(shown));
            dialExcept(List.of());
        }
        PolicyInForce.Prepared first = policy.prepare(loaded, settings.transforms(), problems, stale -> {});
        if (first != null) {
            policy.swap(first); // from now on it is closed with everything else, also when the start fails
        }
        warnings = lines(loaded);
        return first != null;
    }

    /**
     * Prepares the next configuration; returns null when there are problems. Blocks.
     *
     * @param stale receives the secrets that could not be read again and keep their values
     */
    @Nullable Prepared prepare(Preflight.Outcome.Ready ready, Consumer<String> stale, List<ConfigProblem> problems) {
        ConfigResult.Loaded loaded = ready.loaded();
        ParentState.Prepared way = parents.prepare(loaded, stale, problems::add);
        if (way == null) {
            return null;
        }
        ClientCertificates.Prepared shown = certificates.prepare(loaded, stale, problems::add);
        if (shown == null) {
            way.close();
            return null;
        }
        PolicyInForce.Prepared built = policy.prepare(loaded, settings.transforms(), problems, stale);
        if (built == null) {
            way.close();
            shown.close();
            problems.sort(Comparator.naturalOrder());
            return null;
        }
        return new Prepared(ready, way, shown, built);
    }

    /**
     * Puts the next configuration in force.
     *
     * @param renew has what else follows it do so, before anything is judged by its policy
     * @return the changes that take effect with a restart only
     */
    List<String> swap(Prepared prepared, Consumer<ProxyConfig> renew) {
        ConfigResult.Loaded loaded = prepared.ready().loaded();
        ProxyConfig next = loaded.config();
        List<String> restart = ConfigMapper.restartRequired(started, next);
        upstream.through(parents.swap(prepared.way()));
        config = next;
        limits = limitsOf(next);
        replaceTls(prepared);
        renew.accept(next);
        Set<String> changed = prepared.policy().changed();
        boolean selection = prepared.policy().selection();
        policy.swap(prepared.policy());
        if (next.proxy().reload().longLived() == ProxySection.LongLived.RECHECK) {
            rechecks.begin(Rechecks.EVERYBODY);
        } else if (!changed.isEmpty()) {
            rechecks.begin(caller -> changed.contains(caller.workload()), selection);
        }
        warnings = lines(loaded);
        return restart;
    }

    /** Another mode needs a restart: until then all of TLS stays as it is, but for the certificates shown. */
    private void replaceTls(Prepared prepared) {
        ProxyConfig next = prepared.ready().loaded().config();
        TlsRuntime before = tls;
        TlsRuntime renewed = next.tls().mode() == started.tls().mode()
                ? before.with(next, prepared.ready().tls())
                : before;
        TlsRuntime after = renewed.showing(certificates.swap(prepared.shown()));
        tls = after;
        if (!after.sharesAuthority(before)) {
            site = after.site();
        }
    }

    /** Has new connections to origins follow the configuration, and none lead to these addresses of the proxy itself. */
    void dialExcept(List<InetSocketAddress> own) {
        upstream.reconfigure(config, tls.client(), own);
    }

    private static List<String> lines(ConfigResult.Loaded loaded) {
        return loaded.warnings().stream().map(ConfigProblem::toString).toList();
    }

    ProxyConfig config() {
        return config;
    }

    /** The warnings about it, one line each. */
    List<String> warnings() {
        return warnings;
    }

    TlsRuntime tls() {
        return tls;
    }

    ExchangeSettings limits() {
        return limits;
    }

    /** The site on which clients find the authority to trust. */
    LocalSite site() {
        return site;
    }
}
