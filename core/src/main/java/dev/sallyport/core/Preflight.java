package dev.sallyport.core;

import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.Location;
import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.core.config.ProxySection;
import dev.sallyport.core.config.TlsSection;
import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.core.pipeline.Lint;
import dev.sallyport.spi.ConfigException;
import java.util.ArrayList;
import java.util.List;

/**
 * What can be said about a bound configuration before anything is made from it: what this build does not do yet is
 * refused and not ignored, and doubtful orders of transforms are told.
 */
final class Preflight {

    private static final Location CONFIGURATION = new Location("configuration", 0, 0);

    private final List<ConfigProblem> problems = new ArrayList<>();
    private final List<ConfigProblem> warnings;

    private Preflight(List<ConfigProblem> warnings) {
        this.warnings = new ArrayList<>(warnings);
    }

    /** Looks at what was loaded; {@code given} are the transforms of the embedding application. */
    static ConfigResult check(ConfigResult result, List<TransformEntry<?>> given) {
        if (!(result instanceof ConfigResult.Loaded loaded)) {
            return result;
        }
        Preflight preflight = new Preflight(loaded.warnings());
        preflight.support(loaded.config());
        preflight.order(loaded.config(), given);
        return preflight.problems.isEmpty()
                ? new ConfigResult.Loaded(loaded.config(), List.copyOf(preflight.warnings))
                : new ConfigResult.Invalid(List.copyOf(preflight.problems), List.copyOf(preflight.warnings));
    }

    /** All transforms in the order in which they run. */
    static List<TransformEntry<?>> entries(ProxyConfig config, List<TransformEntry<?>> given) {
        List<TransformEntry<?>> entries = new ArrayList<>(config.transforms());
        entries.addAll(given);
        entries.addAll(config.sections());
        return entries;
    }

    private void support(ProxyConfig config) {
        if (config.tls().mode() == TlsSection.Mode.SNI_ONLY) {
            unsupported("/tls/mode", "sni-only is not part of this build", "mitm");
        }
        if (config.proxy().auth() != null) {
            unsupported("/proxy/auth", "client authentication is not part of this build", "no such block");
        }
        if (config.proxy().reload().longLived() == ProxySection.LongLived.RECHECK) {
            unsupported("/proxy/reload/long_lived", "recheck is not part of this build", "keep");
        }
        if (config.management() != null) {
            unsupported("/management", "the management API is not part of this build", "no such block");
        }
    }

    /** What is wrong with a field, found later than where it stands is known. */
    static ConfigProblem problem(String pointer, String message) {
        return new ConfigProblem(CONFIGURATION, pointer, message, "");
    }

    private void unsupported(String pointer, String message, String expected) {
        problems.add(new ConfigProblem(CONFIGURATION, pointer, message, expected));
    }

    private void order(ProxyConfig config, List<TransformEntry<?>> given) {
        boolean strict = config.proxy().lint() == ProxySection.Lint.STRICT;
        for (Lint.Warning warning : Lint.check(entries(config, given))) {
            ConfigProblem finding = warning.entry().problem(new ConfigException(warning.text()));
            (strict ? problems : warnings).add(finding);
        }
    }
}
