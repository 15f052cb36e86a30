package dev.sallyport.server.cli;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.config.CompanionAlone;
import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigReport;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.ExposureWarnings;
import dev.sallyport.core.config.ListenAddress;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.server.Failure;
import dev.sallyport.server.Home;
import dev.sallyport.server.management.ManagementApi;
import dev.sallyport.server.otlp.Exports;
import dev.sallyport.server.plugin.Plugins;
import dev.sallyport.server.summary.ConfigSummary;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sallyport check -config FILE}: reports everything that can be known without starting anything. */
@Command(
        name = "check",
        description =
                "Report everything that is wrong with a configuration. Exits with 0 when it can be used, otherwise with 1.",
        footerHeading = "%n",
        footer = {
            "Also reads the certificates that it names, and checks secrets in files and in the environment,",
            "as far as they can be read. Secrets elsewhere are not read and no port is opened.",
            "Each line: file:line:column: pointer: what is wrong (expected: ...)",
            "Three sentences at the end say what a good file means: who listens where, what may leave, and which",
            "credentials go where."
        })
final class CheckCommand implements Callable<Integer> {

    /** The section of which {@code sallyport control} runs a control plane without a proxy. */
    static final String CONTROL = "control";

    @Option(
            names = {"-c", "-config", "--config"},
            required = true,
            paramLabel = "FILE",
            description = "The configuration.")
    Path config = Path.of("");

    @Mixin
    HelpOption help = new HelpOption();

    @Override
    public Integer call() throws Failure {
        try (Plugins plugins = Home.loadPlugins()) {
            PluginCatalog catalog = plugins.catalog();
            ConfigResult read = ConfigLoader.load(config, System.getenv(), catalog);
            ConfigResult result = EgressProxy.check(read, catalog, System.getenv());
            if (CompanionAlone.isMeant(read, CONTROL)) {
                return alone(result);
            }
            int code = switch (result) {
                case ConfigResult.Invalid invalid -> report(invalid.problems(), invalid.warnings());
                case ConfigResult.Loaded loaded -> accept(loaded.config(), warnings(loaded));
            };
            return exportsAreGood() ? code : ExitCode.PROBLEM;
        }
    }

    /** A file without a proxy, of which {@code sallyport control} runs a control plane. */
    private int alone(ConfigResult result) {
        List<ConfigProblem> problems = CompanionAlone.only(result, CONTROL, result.problems());
        List<ConfigProblem> warnings = new ArrayList<>(CompanionAlone.only(result, CONTROL, result.warnings()));
        ProxyConfig draft = result.draft();
        if (draft == null || !problems.isEmpty()) {
            return report(problems, warnings);
        }
        warnings.addAll(ExposureWarnings.ofMetrics(draft, result.places()));
        warn(warnings);
        System.out.println(config + ": good, for sallyport control" + also(warnings));
        System.out.println("It has no proxy: a control plane alone listens on "
                + draft.companions().stream()
                        .flatMap(entry -> entry.listeners().values().stream())
                        .map(ListenAddress::toString)
                        .collect(Collectors.joining(", "))
                + ".");
        return exportsAreGood() ? ExitCode.OK : ExitCode.PROBLEM;
    }

    /** Variables that name collectors are no part of the file, and keep the proxy from starting as well. */
    private static boolean exportsAreGood() {
        List<String> problems = Exports.problems(System.getenv());
        problems.forEach(System.out::println);
        if (!problems.isEmpty()) {
            System.out.println("environment: " + counted(problems.size(), "problem"));
        }
        return problems.isEmpty();
    }

    private static List<ConfigProblem> warnings(ConfigResult.Loaded loaded) {
        List<ConfigProblem> all = new ArrayList<>(loaded.warnings());
        all.addAll(ExposureWarnings.ofMetrics(loaded.config(), loaded.places()));
        all.addAll(ManagementApi.problems(loaded, System.getenv()));
        return all;
    }

    private int report(List<ConfigProblem> problems, List<ConfigProblem> warnings) {
        System.out.print(ConfigReport.of(problems));
        warn(warnings);
        System.out.println(config + ": " + counted(problems.size(), "problem") + also(warnings));
        return ExitCode.PROBLEM;
    }

    private int accept(ProxyConfig accepted, List<ConfigProblem> warnings) {
        warn(warnings);
        StringBuilder content = new StringBuilder(counted(accepted.transforms().size(), "transform"));
        accepted.sections().forEach(section -> content.append(" and ").append(section.name()));
        System.out.println(config + ": good, with " + content + also(warnings));
        ConfigSummary.of(accepted).forEach(System.out::println);
        return ExitCode.OK;
    }

    private static void warn(List<ConfigProblem> warnings) {
        ConfigReport.of(warnings).lines().forEach(line -> System.out.println("warning: " + line));
    }

    private static String also(List<ConfigProblem> warnings) {
        return warnings.isEmpty() ? "" : ", " + counted(warnings.size(), "warning");
    }

    private static String counted(int count, String what) {
        return count + " " + what + (count == 1 ? "" : "s");
    }
}
