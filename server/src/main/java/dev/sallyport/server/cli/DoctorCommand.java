package dev.sallyport.server.cli;

import dev.sallyport.core.MachineCheck;
import dev.sallyport.server.doctor.Doctor;
import dev.sallyport.server.doctor.Report;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sallyport doctor}. */
@Command(
        name = "doctor",
        description = "Try what sallyport run, or sandboxes, need of this machine, and say what to install or allow.",
        footerHeading = "%n",
        footer = {"Exit codes: 0 everything that was asked for works, 1 something does not."})
final class DoctorCommand implements Callable<Integer> {

    private static final String RUN = "run";

    @Option(
            names = "--for",
            paramLabel = "run|sandboxes",
            split = ",",
            defaultValue = RUN,
            description = "What must work, separated by commas (${DEFAULT-VALUE}).")
    List<String> parts = List.of(RUN);

    @Option(
            names = "--isolate",
            paramLabel = "netns|env",
            defaultValue = "netns",
            description = "What must work of run (${DEFAULT-VALUE}).")
    String isolation = "netns";

    @Option(names = "--json", description = "Print JSON.")
    boolean json;

    @Mixin
    HelpOption help = new HelpOption();

    @Spec
    @Nullable CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        String wanted = isolation.toLowerCase(Locale.ROOT);
        if (!wanted.equals("netns") && !wanted.equals("env")) {
            throw wrong("--isolate " + isolation + " is neither netns nor env");
        }
        Map<String, MachineCheck> checks = checks();
        Map<String, List<MachineCheck.Need>> found = new LinkedHashMap<>();
        for (String part : parts) {
            MachineCheck check = checks.get(part);
            if (part.equals(RUN)) {
                found.put(part, doctor().examine(wanted.equals("netns")));
            } else if (check != null) {
                found.put(part, check.examine());
            } else {
                String known =
                        Stream.concat(Stream.of(RUN), checks.keySet().stream()).collect(Collectors.joining(", "));
                throw wrong("--for " + part + " is none of " + known);
            }
        }
        Report report = new Report(found);
        PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
        if (json) {
            out.println(report.json().toPrettyString());
        } else {
            report.lines().forEach(out::println);
        }
        return report.isWell() ? ExitCode.OK : ExitCode.PROBLEM;
    }

    private static Doctor doctor() {
        return new Doctor(System.getenv().getOrDefault("PATH", ""), System.getProperty("sallyport.userns.refused", ""));
    }

    private static Map<String, MachineCheck> checks() {
        return ServiceLoader.load(MachineCheck.class, DoctorCommand.class.getClassLoader()).stream()
                .map(ServiceLoader.Provider::get)
                .collect(Collectors.toMap(
                        MachineCheck::name, check -> check, (first, second) -> first, LinkedHashMap::new));
    }

    private ParameterException wrong(String message) {
        return new ParameterException(Objects.requireNonNull(spec).commandLine(), message);
    }
}
