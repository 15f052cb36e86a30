package dev.sallyport.server.quickstart;

import dev.sallyport.core.audit.AuditSink;
import dev.sallyport.core.audit.AuditSinks;
import dev.sallyport.core.config.LogSection;
import dev.sallyport.server.Failure;
import dev.sallyport.server.Signals;
import dev.sallyport.server.audit.AuditPrinter;
import dev.sallyport.server.log.LogLevels;
import dev.sallyport.server.terminal.Palette;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/** Runs {@code sallyport quickstart}. */
public final class QuickstartRun {

    private static final Path STATE = Path.of(".sallyport");

    private final PrintStream out;
    private final Palette palette = Palette.ofThisTerminal();

    private QuickstartRun(PrintStream out) {
        this.out = out;
    }

    /**
     * Shows what to try, and the audit log meanwhile, until a signal ends it.
     *
     * @param folder the folder for the state, or null for the default one
     * @param raw print raw audit records; all other output then goes to standard error
     */
    public static void show(@Nullable Path folder, boolean raw) throws Failure, InterruptedException {
        new QuickstartRun(raw ? System.err : System.out)
                .present(folder == null ? STATE.resolve("quickstart") : folder, raw ? AuditSinks.stdout() : null);
    }

    /** Tries everything and reports the results; returns true when all are as expected. */
    public static boolean check(@Nullable Path folder) throws Failure, InterruptedException {
        return new QuickstartRun(System.out).verify(folder == null ? STATE.resolve("quickstart-check") : folder);
    }

    private void present(Path folder, @Nullable AuditSink raw) throws Failure, InterruptedException {
        LogLevels.set(LogSection.Level.WARN);
        Signals signals = Signals.install();
        AuditPrinter printer = new AuditPrinter(palette, ZoneId.systemDefault());
        AuditSink sink = raw != null
                ? raw
                : new AuditLines(record -> {
                    out.println(printer.line(record));
                    out.flush();
                });
        try (Quickstart quickstart = Quickstart.start(new Quickstart.Settings(folder, false, sink))) {
            introduce(quickstart);
            quickstart.server().serve(signals);
        }
    }

    private void introduce(Quickstart quickstart) {
        CurlClient curl = new CurlClient(quickstart.proxyAddress(), quickstart.caCertificate());
        out.println(palette.bold("Sallyport is running.") + " Ctrl-C stops it.");
        out.println();
        fact("proxy", "127.0.0.1:" + quickstart.proxyAddress().getPort() + "  (CONNECT, SOCKS5 and plain HTTP)");
        fact("demo API", "https://" + DemoNames.API + ":" + quickstart.apiPort() + "  (says what it receives)");
        fact(
                "its key",
                quickstart.key() + "  (the proxy has it, a workload does not; this API repeats it for you to see)");
        PolicyApi policies = quickstart.policies();
        if (policies != null) {
            fact("control plane", policies.base() + "  (its API: " + policies.base() + "/docs)");
        }
        fact("configuration", quickstart.config().toString());
        fact("", "change it, then: kill -HUP " + ProcessHandle.current().pid());
        out.println();
        out.println("Paste into a second terminal:");
        int number = 1;
        for (SampleRequest sample : quickstart.samples().highlights()) {
            out.println();
            out.println("  " + palette.dim("# " + number++ + ". " + sample.title()));
            out.println("  " + curl.line(sample));
        }
        if (policies != null) {
            out.println();
            out.println(
                    "  " + palette.dim("# " + number + ". Change the policy while the proxy runs, and try 2. again."));
            out.println("  " + policies.lineThatOpensAdmin());
        }
        out.println();
        out.println("The audit log, one record for each request:");
        out.println();
        out.flush();
    }

    private void fact(String name, String value) {
        out.println("  " + palette.bold(name) + " ".repeat(15 - name.length()) + value);
    }

    private boolean verify(Path folder) throws Failure, InterruptedException {
        LogLevels.set(LogSection.Level.WARN);
        Checks checks = new Checks(out, palette);
        try (Quickstart quickstart = Quickstart.start(new Quickstart.Settings(folder, true, checks.sink()))) {
            return checks.run(quickstart, Client.of(quickstart.proxyAddress(), quickstart.caCertificate()));
        }
    }
}
