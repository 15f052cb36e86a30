package dev.sallyport.server.cli;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigReport;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.core.config.TlsSection;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.core.tls.TlsMaterialException;
import dev.sallyport.core.tls.TrustRoots;
import dev.sallyport.server.Failure;
import dev.sallyport.server.Home;
import dev.sallyport.server.plugin.Plugins;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sallyport check -config FILE}: everything that can be known without starting anything. */
@Command(
        name = "check",
        description = "Report everything that is wrong with a configuration; exit 0 when it can be used, else 1.",
        footerHeading = "%n",
        footer = {
            "Also reads the certificates that it names. Secrets are not read and no port is opened.",
            "Each line: file:line:column: pointer: what is wrong (expected: ...)"
        })
final class CheckCommand implements Callable<Integer> {

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
            ConfigResult result = EgressProxy.check(ConfigLoader.load(config, System.getenv(), plugins.catalog()));
            return switch (result) {
                case ConfigResult.Invalid invalid ->
                    report(
                            ConfigReport.of(invalid.problems()),
                            invalid.problems().size(),
                            invalid.warnings());
                case ConfigResult.Loaded loaded -> {
                    List<String> faults = certificates(loaded.config().tls());
                    String report = String.join(
                            "", faults.stream().map(line -> line + "\n").toList());
                    yield faults.isEmpty()
                            ? accept(loaded.config(), loaded.warnings())
                            : report(report, faults.size(), loaded.warnings());
                }
            };
        }
    }

    private int report(String problems, int count, List<ConfigProblem> warnings) {
        PrintStream out = System.out;
        out.print(problems);
        warn(warnings);
        out.println(config + ": " + counted(count, "problem") + also(warnings));
        return ExitCode.PROBLEM;
    }

    private int accept(ProxyConfig accepted, List<ConfigProblem> warnings) {
        warn(warnings);
        int transforms = accepted.transforms().size() + accepted.sections().size();
        System.out.println(config + ": good, with " + counted(transforms, "transform") + also(warnings));
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

    private static List<String> certificates(TlsSection tls) {
        List<String> faults = new ArrayList<>();
        try {
            if (tls.mode() == TlsSection.Mode.MITM && tls.caCert() != null && tls.caKey() != null) {
                CertificateAuthority.load(tls.caCert(), tls.caKey());
            }
        } catch (TlsMaterialException e) {
            faults.add(String.valueOf(e.getMessage()));
        }
        try {
            if (tls.upstreamCa() != null) {
                TrustRoots.of(tls.upstreamCa());
            }
        } catch (TlsMaterialException e) {
            faults.add(String.valueOf(e.getMessage()));
        }
        return faults;
    }
}
