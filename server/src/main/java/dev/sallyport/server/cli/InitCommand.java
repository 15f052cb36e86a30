package dev.sallyport.server.cli;

import dev.sallyport.server.Failure;
import dev.sallyport.server.Home;
import dev.sallyport.server.init.Initialization;
import dev.sallyport.server.init.PackageManager;
import dev.sallyport.server.init.Plan;
import dev.sallyport.server.init.PlannedSecret;
import dev.sallyport.server.init.Purpose;
import dev.sallyport.server.init.Questions;
import dev.sallyport.server.plugin.Plugins;
import dev.sallyport.toolkit.match.HostGlob;
import dev.sallyport.toolkit.match.InvalidPatternException;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sallyport init}: a first configuration. */
@Command(
        name = "init",
        description = "Write a commented configuration for a common case.",
        footerHeading = "%n",
        footer = {
            "Asks on a terminal what --for does not say. Package managers are asked for their registries, so that",
            "mirrors work; one that is missing is let nothing through, and the output says so."
        })
final class InitCommand implements Callable<Integer> {

    @Option(
            names = "--for",
            paramLabel = "CASE",
            description = "coding-agent, ci, packages, or observe (everything logged, nothing blocked).")
    @Nullable String purpose;

    @Option(
            names = "--out",
            paramLabel = "FILE",
            defaultValue = "proxy.yaml",
            description = "Where to write it (${DEFAULT-VALUE}).")
    Path out = Path.of("");

    @Option(
            names = "--model",
            paramLabel = "NAME",
            description =
                    "The API that a coding agent calls: anthropic, openai, or a host whose key is in MODEL_API_KEY.")
    @Nullable String model;

    @Option(
            names = "--allow",
            paramLabel = "HOST",
            split = ",",
            description = "A host to let through; may be repeated.")
    List<String> allow = new ArrayList<>();

    @Option(
            names = "--secret",
            paramLabel = "NAME=env:VAR@HOST[,HOST]",
            description = "The workload sees a placeholder in NAME, and HOST gets the value of VAR; may be repeated.")
    List<String> secrets = new ArrayList<>();

    @Option(
            names = "--managers",
            paramLabel = "NAME",
            split = ",",
            description = "The package managers to ask: npm, pip, go, cargo, maven, apt; by default all.")
    List<String> managers = new ArrayList<>();

    @Option(
            names = "--listen",
            paramLabel = "ADDRESS",
            defaultValue = "127.0.0.1:3128",
            description = "Where workloads connect (${DEFAULT-VALUE}).")
    String listen = "";

    @Option(
            names = "--metrics",
            paramLabel = "ADDRESS",
            defaultValue = "127.0.0.1:9090",
            description = "Where metrics are shown, or disabled (${DEFAULT-VALUE}).")
    String metrics = "";

    @Option(names = "--force", description = "Overwrite an existing file.")
    boolean force;

    @Mixin
    HelpOption help = new HelpOption();

    @Spec
    @Nullable CommandSpec spec;

    @Override
    public Integer call() throws Failure, InterruptedException {
        Purpose chosen = purpose == null ? null : named(purpose);
        List<String> hosts = new ArrayList<>(allow);
        List<PlannedSecret> planned = new ArrayList<>();
        secrets.forEach(secret -> planned.add(secret(secret)));
        List<PackageManager> asked = managers.stream().map(this::manager).toList();
        hosts.forEach(this::checkHost);
        if (chosen == null) {
            Questions questions = questions();
            chosen = questions.purpose();
            if (chosen == Purpose.CODING_AGENT && model == null) {
                model = questions.model();
            }
            hosts.addAll(questions.hosts());
        }
        if (model != null && !model.isEmpty()) {
            planned.add(key(chosen, model));
        }
        hosts.forEach(this::checkHost);
        planned.forEach(secret -> secret.hosts().forEach(this::checkHost));
        Plan plan = new Plan(chosen, listen, metrics, hosts, planned, asked);
        try (Plugins plugins = Home.loadPlugins()) {
            new Initialization(System.getenv(), Path.of("").toAbsolutePath(), plugins.catalog())
                    .write(plan, out, force)
                    .forEach(System.out::println);
        }
        return ExitCode.OK;
    }

    /** Only where somebody can answer: both ends must be a terminal, which the launcher knows. */
    private Questions questions() {
        if (!Boolean.getBoolean("sallyport.tty") || !Boolean.getBoolean("sallyport.tty.input")) {
            throw wrong("--for is missing, and there is no terminal to ask on; it is one of "
                    + String.join(", ", Purpose.options()));
        }
        // The terminal's reader is the process's own, and stays open.
        return new Questions(
                new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset())), System.out);
    }

    private Purpose named(String option) {
        Purpose named = Purpose.of(option);
        if (named == null) {
            throw wrong("--for " + option + " is none of " + String.join(", ", Purpose.options()));
        }
        return named;
    }

    private PackageManager manager(String option) {
        PackageManager manager = PackageManager.of(option);
        if (manager == null) {
            throw wrong("--managers " + option + " is none of " + String.join(", ", PackageManager.options()));
        }
        return manager;
    }

    private PlannedSecret secret(String text) {
        PlannedSecret secret = PlannedSecret.parse(text);
        if (secret == null) {
            throw wrong("--secret " + text.split("=", 2)[0] + " is not of the form NAME=env:VAR@HOST[,HOST]");
        }
        return secret;
    }

    private PlannedSecret key(Purpose chosen, String name) {
        if (chosen != Purpose.CODING_AGENT) {
            throw wrong("--model is for --for coding-agent");
        }
        return switch (name) {
            case "anthropic" ->
                new PlannedSecret("ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY", List.of("api.anthropic.com"));
            case "openai" -> new PlannedSecret("OPENAI_API_KEY", "OPENAI_API_KEY", List.of("api.openai.com"));
            default -> new PlannedSecret("MODEL_API_KEY", "MODEL_API_KEY", List.of(name));
        };
    }

    private void checkHost(String host) {
        try {
            HostGlob.parse(host);
        } catch (InvalidPatternException e) {
            throw wrong("--allow " + host + " is no host and no pattern such as *.example.com");
        }
    }

    private ParameterException wrong(String problem) {
        return new ParameterException(Objects.requireNonNull(spec).commandLine(), problem);
    }
}
