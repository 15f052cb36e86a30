package dev.sallyport.server.management;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.ReloadResult;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.server.log.LogLevels;
import dev.sallyport.server.otlp.Exports;
import jakarta.inject.Inject;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one way to reload, for the signal and for the API: reads the configuration again, applies what the server itself
 * takes from it, and logs what came of it. Thread-safe; one reload at a time.
 */
public final class Reloader {

    private static final Logger LOG = LoggerFactory.getLogger(Reloader.class);

    private final EgressProxy proxy;
    private final Exports exports;

    @Inject
    public Reloader(EgressProxy proxy, Exports exports) {
        this.proxy = proxy;
        this.exports = exports;
    }

    /** Waits for a reload that is running. Blocks. */
    public ReloadResult reload() {
        return applied(proxy.reload());
    }

    /** Returns null when a reload is running. Blocks. */
    @Nullable ReloadResult tryReload() {
        ReloadResult result = proxy.tryReload();
        return result == null ? null : applied(result);
    }

    private ReloadResult applied(ReloadResult result) {
        switch (result) {
            case ReloadResult.Reloaded reloaded -> {
                LogLevels.set(proxy.config().log().level());
                exports.reloaded(proxy.config());
                reloaded.warnings().forEach(LOG::warn);
                LOG.info("reloaded: generation {} ({})", reloaded.generation(), pipeline(proxy.config()));
            }
            case ReloadResult.Refused refused -> {
                List<ConfigProblem> problems = refused.problems();
                LOG.error("not reloaded, generation {} goes on: {}", proxy.generation(), count(problems));
                problems.forEach(problem -> LOG.error("{}", problem));
            }
        }
        return result;
    }

    /** How many problems there are, in words. */
    static String count(List<ConfigProblem> problems) {
        return problems.size() + " problem" + (problems.size() == 1 ? "" : "s") + " in the configuration";
    }

    /** The transforms in their order, for the log. */
    public static String pipeline(ProxyConfig config) {
        String names = Stream.concat(config.transforms().stream(), config.sections().stream())
                .map(TransformEntry::name)
                .collect(Collectors.joining(" > "));
        return names.isEmpty() ? "no transforms" : names;
    }
}
