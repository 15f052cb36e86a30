package dev.sallyport.server.cli;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.sallyport.server.Failure;
import dev.sallyport.server.audit.AuditPrinter;
import dev.sallyport.server.terminal.Palette;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sallyport audit grep PATTERN [FILE...]}. */
@Command(
        name = "grep",
        description = "Show the records that match a pattern. Exits with 0 when some do, with 1 when none does.",
        footerHeading = "%n",
        footer = {
            "The pattern is a regular expression (RE2). It is looked for in the record as it stands in the file, and in",
            "what is shown of it. Without a file, records are read from standard input."
        })
final class AuditGrepCommand implements Callable<Integer> {

    @Option(names = "--json", description = "Print the records as they stand in the file.")
    boolean raw;

    @Option(names = "-i", description = "Ignore case.")
    boolean ignoreCase;

    @Parameters(index = "0", paramLabel = "PATTERN", description = "What to look for.")
    String pattern = "";

    @Parameters(index = "1..*", paramLabel = "FILE", description = "Audit files.")
    List<Path> files = List.of();

    @Mixin
    HelpOption help = new HelpOption();

    @Spec
    @Nullable CommandSpec spec;

    private boolean found;

    @Override
    public Integer call() throws Failure {
        Pattern wanted = compile();
        List<Path> records =
                AuditInput.records(files, Objects.requireNonNull(spec).commandLine());
        AuditPrinter plain = new AuditPrinter(new Palette(false), ZoneId.systemDefault());
        AuditPrinter printer = new AuditPrinter(Palette.ofThisTerminal(), ZoneId.systemDefault());
        PrintStream out = AuditInput.out();
        AuditInput.lines(records, line -> {
            if (wanted.matcher(line).find() || wanted.matcher(plain.line(line)).find()) {
                found = true;
                out.println(raw ? line : printer.dated(line));
            }
        });
        out.flush();
        return found ? ExitCode.OK : ExitCode.PROBLEM;
    }

    private Pattern compile() {
        try {
            return Pattern.compile(pattern, ignoreCase ? Pattern.CASE_INSENSITIVE : 0);
        } catch (PatternSyntaxException e) {
            throw new ParameterException(
                    Objects.requireNonNull(spec).commandLine(), "not a pattern: " + e.getDescription());
        }
    }
}
