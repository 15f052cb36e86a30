package dev.sallyport.core;

import dev.sallyport.core.audit.AuditFile;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.ExposureWarnings;
import dev.sallyport.core.config.Locations;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.config.ProxyAuth;
import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.core.config.ProxySection;
import dev.sallyport.core.config.SectionEntry;
import dev.sallyport.core.config.TlsSection;
import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.core.pipeline.Lint;
import dev.sallyport.core.pipeline.SecretRefFinder;
import dev.sallyport.core.secret.LocalSecrets;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.SecretRef;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Checks a configuration that has been read, before anything is built from it: features that this build lacks are
 * refused and not ignored, the certificates that it names are read, and doubtful orders of transforms are reported. The
 * one way from a file to a report, for the check, the start and the reload.
 */
final class Preflight {

    private final Locations places;
    private final List<ConfigProblem> problems;
    private final List<ConfigProblem> warnings;

    /** The outcome. */
    sealed interface Outcome {

        /** The configuration can be used; the files hold all that its mode needs. */
        record Ready(ConfigResult.Loaded loaded, TlsFiles tls) implements Outcome {
            @Override
            public ConfigResult result() {
                return loaded;
            }
        }

        /** It cannot be used. */
        record Refused(ConfigResult.Invalid invalid) implements Outcome {
            @Override
            public ConfigResult result() {
                return invalid;
            }
        }

        /** The result with everything that was found. */
        ConfigResult result();
    }

    private Preflight(Locations places, List<ConfigProblem> problems, List<ConfigProblem> warnings) {
        this.places = places;
        this.problems = new ArrayList<>(problems);
        this.warnings = new ArrayList<>(warnings);
    }

    /**
     * Checks what was read, as far as it could be read; {@code given} are the transforms of the embedding application.
     */
    static Outcome check(ConfigResult result, List<TransformEntry<?>> given) {
        return new Preflight(result.places(), result.problems(), result.warnings()).check(result.draft(), given);
    }

    private Outcome check(@Nullable ProxyConfig config, List<TransformEntry<?>> given) {
        TlsFiles files = TlsFiles.NONE;
        if (config != null) {
            support(config);
            visibility(config, given);
            order(config, given);
            readable(config, given);
            auditFile(config);
            files = TlsFiles.read(config.tls(), places, problems::add);
            if (problems.isEmpty()) {
                entries(config, given).forEach(entry -> entry.doubts(warnings::add));
                config.companions().forEach(companion -> companion.doubts(warnings::add));
                warnings.addAll(ExposureWarnings.ofTraffic(config, places));
                warnings.addAll(MemoryBudgets.misfits(config.proxy(), places));
            }
        }
        return config != null && problems.isEmpty()
                ? new Outcome.Ready(new ConfigResult.Loaded(config, warnings, places), files)
                : new Outcome.Refused(new ConfigResult.Invalid(problems, warnings, config, places));
    }

    /** The configuration, with doubts about the values of secrets that can be read here. */
    static ConfigResult.Loaded withSecrets(
            ConfigResult.Loaded loaded, PluginCatalog catalog, Map<String, String> environment) {
        ProxyConfig config = loaded.config();
        List<SecretRef> refs = new ArrayList<>();
        ProxyAuth auth = config.proxy().auth();
        if (auth != null) {
            refs.addAll(SecretRefFinder.in(auth));
        }
        entries(config, List.of()).forEach(entry -> refs.addAll(SecretRefFinder.in(entry.config())));
        List<ConfigProblem> warnings = new ArrayList<>(loaded.warnings());
        try (LocalSecrets secrets = new LocalSecrets(catalog, environment)) {
            for (SecretRef ref : refs) {
                ConfigException doubt = secrets.doubt(ref);
                if (doubt != null) {
                    String at = doubt.pointer();
                    warnings.add(new ConfigProblem(
                            loaded.places().of(at), at, String.valueOf(doubt.getMessage()), doubt.expected()));
                }
            }
        }
        return new ConfigResult.Loaded(config, warnings, loaded.places());
    }

    /** All transforms, in the order in which they run. */
    static List<TransformEntry<?>> entries(ProxyConfig config, List<TransformEntry<?>> given) {
        List<TransformEntry<?>> entries = new ArrayList<>(config.transforms());
        entries.addAll(given);
        entries.addAll(config.sections());
        return entries;
    }

    private void support(ProxyConfig config) {
        if (config.proxy().reload().longLived() == ProxySection.LongLived.RECHECK) {
            unsupported("/proxy/reload/long_lived", "recheck is not part of this build", "keep");
        }
        if (config.management() != null) {
            unsupported("/management", "the management API is not part of this build", "no such block");
        }
    }

    /** Refuses transforms that cannot work where only the host is visible. */
    private void visibility(ProxyConfig config, List<TransformEntry<?>> given) {
        boolean blind = places.isSound("/tls/mode") && config.tls().mode() == TlsSection.Mode.SNI_ONLY;
        if (blind && config.proxy().tunnelDenials() == ProxySection.TunnelDenials.INSIDE) {
            String pointer = "/proxy/tunnel_denials";
            warnings.add(new ConfigProblem(places.of(pointer), pointer, "not used in mode sni-only", ""));
        }
        List<Rule> passed = config.tls().passthrough().stream().map(Rule::host).toList();
        for (TransformEntry<?> entry : entries(config, given)) {
            Capabilities capabilities = entry.capabilities();
            if (!capabilities.needsFullVisibility()) {
                continue;
            }
            if (blind) {
                problems.add(entry.problem(new ConfigException(
                        "",
                        entry.name() + " cannot work in tls.mode sni-only, which sees no requests",
                        "tls.mode: mitm, or no such entry")));
            } else if (!passed.isEmpty() && Lint.mayMeet(capabilities, passed)) {
                warnings.add(entry.problem(new ConfigException(
                        "",
                        entry.name() + " is left out for hosts of tls.passthrough, whose requests are not seen",
                        "rules that do not overlap with tls.passthrough")));
            }
        }
    }

    /** Reports files of plug-ins that would be missing when these are built. */
    private void readable(ProxyConfig config, List<TransformEntry<?>> given) {
        for (TransformEntry<?> entry : entries(config, given)) {
            entry.files().forEach((pointer, file) -> readable(pointer, file, entry::problem));
        }
        for (SectionEntry<?> companion : config.companions()) {
            companion.files().forEach((pointer, file) -> readable(pointer, file, companion::problem));
        }
    }

    private void readable(String pointer, Path file, Function<ConfigException, ConfigProblem> report) {
        if (!Files.isReadable(file) || Files.isDirectory(file)) {
            String what = Files.isDirectory(file) ? "a folder" : "cannot be read";
            String wrong = Files.exists(file) ? what : "no such file";
            problems.add(
                    report.apply(new ConfigException(pointer, file + ": " + wrong, "a file that this user may read")));
        }
    }

    /** Checks where records are to be appended, without creating anything. */
    private void auditFile(ProxyConfig config) {
        Path file = config.log().audit().file();
        String wrong = file == null ? "" : AuditFile.obstacle(file);
        if (!wrong.isEmpty()) {
            problems.add(new ConfigProblem(
                    places.of(AuditSetup.FILE), AuditSetup.FILE, file + ": " + wrong, AuditSetup.EXPECTED));
        }
    }

    private void unsupported(String pointer, String message, String expected) {
        if (places.isSound(pointer)) {
            problems.add(new ConfigProblem(places.of(pointer), pointer, message, expected));
        }
    }

    private void order(ProxyConfig config, List<TransformEntry<?>> given) {
        boolean known = places.isSound("/transforms")
                && config.sections().stream().allMatch(section -> places.isSound(section.pointer()));
        if (!known) {
            return; // nothing can be concluded from a part of the list
        }
        boolean strict = config.proxy().lint() == ProxySection.Lint.STRICT;
        if (!Lint.limits(entries(config, given))) {
            (strict ? problems : warnings)
                    .add(new ConfigProblem(
                            places.of("/transforms"),
                            "/transforms",
                            "nothing limits where requests may go: no transform here refuses any destination",
                            "an allowlist, or another transform that refuses what it does not know"));
        }
        for (Lint.Warning warning : Lint.check(entries(config, given))) {
            ConfigProblem finding = warning.entry().problem(new ConfigException(warning.text()));
            (strict ? problems : warnings).add(finding);
        }
    }
}
