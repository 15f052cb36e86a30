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
import dev.sallyport.core.config.SteeringWarnings;
import dev.sallyport.core.config.TlsSection;
import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.core.config.WorkloadConfig;
import dev.sallyport.core.pipeline.SecretRefFinder;
import dev.sallyport.core.pipeline.TransformOrderLint;
import dev.sallyport.core.secret.LocalSecrets;
import dev.sallyport.core.tls.TrustRootsReader;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.SecretRef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Checks a configuration that has been read, before anything is built from it: the certificates that it names are read,
 * and doubtful orders of transforms are reported. The one way from a file to a report, for the check, the start and the
 * reload.
 */
final class Preflight {

    private final Locations places;
    private final List<ConfigProblem> problems;
    private final List<ConfigProblem> warnings;
    private final TrustRootsReader trust;

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

    private Preflight(
            Locations places, List<ConfigProblem> problems, List<ConfigProblem> warnings, TrustRootsReader trust) {
        this.places = places;
        this.trust = trust;
        this.problems = new ArrayList<>(problems);
        this.warnings = new ArrayList<>(warnings);
    }

    /**
     * Checks what was read, as far as it could be read.
     *
     * @param given the transforms of the embedding application
     * @param trust reads roots, and knows those that have not changed since the last check
     */
    static Outcome check(ConfigResult result, List<TransformEntry<?>> given, TrustRootsReader trust) {
        Preflight checking = new Preflight(result.places(), result.problems(), result.warnings(), trust);
        return checking.check(result.draft(), given, checking.problems::add);
    }

    /**
     * As {@link #check}, for a configuration that only explains: what the machine lacks is no problem.
     *
     * @param absent receives the files that cannot be used
     */
    static Outcome checkToExplain(ConfigResult result, List<TransformEntry<?>> given, Consumer<ConfigProblem> absent) {
        return new Preflight(result.places(), result.problems(), result.warnings(), new TrustRootsReader())
                .check(result.draft(), given, absent);
    }

    private Outcome check(@Nullable ProxyConfig config, List<TransformEntry<?>> given, Consumer<ConfigProblem> absent) {
        TlsFiles files = TlsFiles.NONE;
        if (config != null) {
            visibility(config, given);
            order(config, given);
            readable(config, given, absent);
            auditFile(config, absent);
            files = TlsFiles.read(config.tls(), places, trust, absent);
            if (problems.isEmpty()) {
                everything(config, given).forEach(entry -> entry.doubts(warnings::add));
                config.companions().forEach(companion -> companion.doubts(warnings::add));
                warnings.addAll(ExposureWarnings.ofTraffic(config, places));
                warnings.addAll(SteeringWarnings.of(config, places));
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
        List<ConfigProblem> warnings = new ArrayList<>(loaded.warnings());
        try (LocalSecrets secrets = new LocalSecrets(catalog, environment)) {
            for (SecretRef ref : secrets(config)) {
                ConfigException doubt = secrets.doubt(ref);
                if (doubt != null) {
                    String at = doubt.pointer();
                    warnings.add(new ConfigProblem(
                            loaded.places().of(at), at, String.valueOf(doubt.getMessage()), doubt.expected()));
                }
            }
        }
        config.companions().forEach(companion -> unset(companion, environment, warnings::add));
        return new ConfigResult.Loaded(config, warnings, loaded.places());
    }

    /** Warns also of variables that companions miss: one may be run without the proxy that is not good. */
    static ConfigResult.Invalid withVariables(ConfigResult.Invalid invalid, Map<String, String> environment) {
        ProxyConfig draft = invalid.draft();
        if (draft == null) {
            return invalid;
        }
        List<ConfigProblem> warnings = new ArrayList<>(invalid.warnings());
        draft.companions().forEach(companion -> unset(companion, environment, warnings::add));
        return new ConfigResult.Invalid(invalid.problems(), warnings, draft, invalid.places());
    }

    private static void unset(
            SectionEntry<?> companion, Map<String, String> environment, Consumer<ConfigProblem> warnings) {
        companion.variables().forEach((pointer, variable) -> {
            String value = environment.get(variable);
            if (value == null || value.isBlank()) {
                String what = value == null ? "is not set" : "is empty";
                warnings.accept(companion.problem(new ConfigException(
                        pointer, "the environment variable " + variable + " " + what, "a value, for the start")));
            }
        });
    }

    /** All references to secrets, in the order of the file. */
    static List<SecretRef> secrets(ProxyConfig config) {
        List<SecretRef> refs = new ArrayList<>();
        ProxyAuth auth = config.proxy().auth();
        if (auth != null) {
            refs.addAll(SecretRefFinder.in(auth));
        }
        everything(config, List.of()).forEach(entry -> refs.addAll(SecretRefFinder.in(entry.config())));
        return refs;
    }

    /** All transforms, in the order in which they run. */
    static List<TransformEntry<?>> entries(ProxyConfig config, List<TransformEntry<?>> given) {
        List<TransformEntry<?>> entries = new ArrayList<>(config.transforms());
        entries.addAll(given);
        entries.addAll(config.sections());
        return entries;
    }

    /** All transforms of a workload, in the order in which they run. */
    static List<TransformEntry<?>> entries(ProxyConfig config, WorkloadConfig workload, List<TransformEntry<?>> given) {
        List<TransformEntry<?>> entries = new ArrayList<>(workload.listed(config));
        entries.addAll(given);
        entries.addAll(workload.sections(config));
        return entries;
    }

    /** Those that only workloads have. */
    private static List<TransformEntry<?>> ownEntries(ProxyConfig config) {
        List<TransformEntry<?>> entries = new ArrayList<>();
        for (WorkloadConfig workload : config.workloads()) {
            List<TransformEntry<?>> own = workload.transforms();
            if (own != null) {
                entries.addAll(own);
            }
            entries.addAll(workload.sections());
        }
        return entries;
    }

    /** Everything that the configuration has made of transforms. */
    private static List<TransformEntry<?>> everything(ProxyConfig config, List<TransformEntry<?>> given) {
        List<TransformEntry<?>> entries = new ArrayList<>(entries(config, given));
        entries.addAll(ownEntries(config));
        return entries;
    }

    /** Whether {@code proxy.auth} has this user. */
    static boolean isUser(ProxyConfig config, String name) {
        ProxyAuth auth = config.proxy().auth();
        return auth != null
                && auth.users().stream().anyMatch(user -> user.name().equals(name));
    }

    /** Refuses transforms that cannot work where only the host is visible. */
    private void visibility(ProxyConfig config, List<TransformEntry<?>> given) {
        boolean blind = places.isSound("/tls/mode") && config.tls().mode() == TlsSection.Mode.SNI_ONLY;
        if (blind && config.proxy().tunnelDenials() == ProxySection.TunnelDenials.INSIDE) {
            String pointer = "/proxy/tunnel_denials";
            warnings.add(new ConfigProblem(places.of(pointer), pointer, "not used in mode sni-only", ""));
        }
        List<Rule> passed = config.tls().passthrough().stream().map(Rule::host).toList();
        for (TransformEntry<?> entry : everything(config, given)) {
            Capabilities capabilities = entry.capabilities();
            if (!capabilities.needsFullVisibility()) {
                continue;
            }
            if (blind) {
                problems.add(entry.problem(new ConfigException(
                        "",
                        entry.name() + " cannot work in tls.mode sni-only, which sees no requests",
                        "tls.mode: mitm, or no such entry")));
            } else if (!passed.isEmpty() && TransformOrderLint.mayMeet(capabilities, passed)) {
                warnings.add(entry.problem(new ConfigException(
                        "",
                        entry.name() + " is left out for hosts of tls.passthrough, whose requests are not seen",
                        "rules that do not overlap with tls.passthrough")));
            }
        }
    }

    /** Reports files of plug-ins that would be missing when these are built. */
    private static void readable(ProxyConfig config, List<TransformEntry<?>> given, Consumer<ConfigProblem> absent) {
        for (TransformEntry<?> entry : everything(config, given)) {
            entry.files().forEach((pointer, file) -> readable(pointer, file, entry::problem, absent));
        }
        for (SectionEntry<?> companion : config.companions()) {
            companion.files().forEach((pointer, file) -> readable(pointer, file, companion::problem, absent));
        }
    }

    private static void readable(
            String pointer,
            Path file,
            Function<ConfigException, ConfigProblem> report,
            Consumer<ConfigProblem> absent) {
        if (!Files.isReadable(file) || Files.isDirectory(file)) {
            String what = Files.isDirectory(file) ? "a folder" : "cannot be read";
            String wrong = Files.exists(file) ? what : "no such file";
            absent.accept(
                    report.apply(new ConfigException(pointer, file + ": " + wrong, "a file that this user may read")));
        }
    }

    /** Checks where records are to be appended, without creating anything. */
    private void auditFile(ProxyConfig config, Consumer<ConfigProblem> absent) {
        Path file = config.log().audit().file();
        String wrong = file == null ? "" : AuditFile.obstacle(file);
        if (!wrong.isEmpty()) {
            absent.accept(new ConfigProblem(
                    places.of(AuditSetup.FILE), AuditSetup.FILE, file + ": " + wrong, AuditSetup.EXPECTED));
        } else if (file != null) {
            try {
                AuditSetup.presentKey(config.log().audit());
            } catch (IOException e) {
                problems.add(AuditSetup.keyProblem(places, config.log().audit(), e));
            }
        }
    }

    private void order(ProxyConfig config, List<TransformEntry<?>> given) {
        boolean known = places.isSound("/transforms")
                && config.sections().stream().allMatch(section -> places.isSound(section.pointer()));
        if (!known) {
            return; // nothing can be concluded from a part of the list
        }
        List<ConfigProblem> findings = config.proxy().lint() == ProxySection.Lint.STRICT ? problems : warnings;
        boolean delivered = config.companions().stream().anyMatch(SectionEntry::deliversPolicy);
        order(entries(config, given), "/transforms", delivered ? null : "", findings);
        for (WorkloadConfig workload : config.workloads()) {
            if (places.isSound(workload.pointer())) {
                order(
                        entries(config, workload, given),
                        workload.pointer(),
                        " of the workload " + workload.name(),
                        findings);
            }
        }
    }

    /** {@code whose} names whose requests must be limited by these transforms; null when others limit them. */
    private void order(
            List<TransformEntry<?>> entries, String pointer, @Nullable String whose, List<ConfigProblem> findings) {
        if (whose != null && !TransformOrderLint.limits(entries)) {
            findings.add(new ConfigProblem(
                    places.of(pointer),
                    pointer,
                    "nothing limits where requests" + whose + " may go: no transform here refuses any destination",
                    "an allowlist, or another transform that refuses what it does not know"));
        }
        for (TransformOrderLint.Warning warning : TransformOrderLint.check(entries)) {
            (warning.avoidable() ? findings : warnings)
                    .add(warning.entry().problem(new ConfigException(warning.text())));
        }
    }
}
