package dev.sallyport.server.cli;

import dev.sallyport.server.doctor.Doctor;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
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
        description = "Try what sallyport run needs of this machine, and say what to install or allow.",
        footerHeading = "%n",
        footer = {"Exit codes: 0 everything that was asked for works, 1 something does not."})
final class DoctorCommand implements Callable<Integer> {

    @Option(
            names = "--isolate",
            paramLabel = "netns|env",
            defaultValue = "netns",
            description = "What must work (${DEFAULT-VALUE}).")
    String isolation = "netns";

    @Mixin
    HelpOption help = new HelpOption();

    @Spec
    @Nullable CommandSpec spec;

    @Override
    public Integer call() {
        String wanted = isolation.toLowerCase(Locale.ROOT);
        if (!wanted.equals("netns") && !wanted.equals("env")) {
            throw new ParameterException(
                    Objects.requireNonNull(spec).commandLine(), "--isolate " + isolation + " is neither netns nor env");
        }
        String path = System.getenv().getOrDefault("PATH", "");
        Doctor doctor = new Doctor(path, System.getProperty("sallyport.userns.refused", ""));
        Doctor.Report report = doctor.examine(wanted.equals("netns"));
        report.lines().forEach(System.out::println);
        return report.well() ? ExitCode.OK : ExitCode.PROBLEM;
    }
}
