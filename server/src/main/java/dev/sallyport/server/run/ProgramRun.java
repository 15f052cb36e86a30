package dev.sallyport.server.run;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.StartException;
import dev.sallyport.core.audit.AuditSink;
import dev.sallyport.core.config.LogSection;
import dev.sallyport.server.Failure;
import dev.sallyport.server.Home;
import dev.sallyport.server.Preload;
import dev.sallyport.server.log.LogLevels;
import dev.sallyport.server.management.RecentAudit;
import dev.sallyport.server.management.RecordsPage;
import dev.sallyport.server.plugin.Plugins;
import dev.sallyport.server.run.ask.Questions;
import dev.sallyport.server.run.ask.TerminalPrompt;
import dev.sallyport.server.run.linux.Dumping;
import dev.sallyport.server.run.linux.RefusedPacket;
import dev.sallyport.spi.Rule;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** One run of a program behind a proxy of its own. Not thread-safe: one thread runs it. */
public final class ProgramRun {

    private static final int USAGE = 2;

    private final RunOptions options;
    private final Map<String, String> environment;
    private final Set<String> hidden;
    private final RunPolicy policy;
    private final RunTraffic traffic = new RunTraffic();
    private final RecentAudit recent = new RecentAudit();
    private final CompletableFuture<String> unprotected;
    private final PrintStream err;

    private @Nullable Questions questions;

    private ProgramRun(
            RunOptions options, Map<String, String> environment, CompletableFuture<String> unprotected, PrintStream err)
            throws UsageException, Failure, InterruptedException {
        this.options = options;
        this.environment = environment;
        this.unprotected = unprotected;
        this.err = err;
        PolicyFile file = PolicyFile.read(options.policy().config());
        hidden = new HashSet<>(file == null ? Set.of() : file.variables());
        options.policy().secrets().forEach(secret -> hidden.add(secret.variable()));
        List<Rule> presets = Presets.installed()
                .rules(options.policy().presets(), ChildEnvironment.ofTools(environment, hidden), this::note);
        policy = RunPolicy.of(options.policy(), file, presets);
    }

    private Questions questions(ChildSignals signals) throws UsageException {
        try {
            TerminalPrompt prompt = TerminalPrompt.open(signals.process(), environment);
            signals.onSignal(prompt::interrupt);
            return new Questions(prompt);
        } catch (IOException e) {
            throw new UsageException("--ask: nobody can be asked: " + e.getMessage(), "a terminal");
        }
    }

    /**
     * Runs {@code sallyport run} to its end. Blocks.
     *
     * @param words what follows {@code run} on the command line
     * @return the exit code
     * @throws Failure with what is wrong with the configuration, or with this machine
     */
    public static int run(List<String> words) throws Failure, InterruptedException {
        PrintStream err = System.err;
        if (RunArguments.wantsHelp(words)) {
            System.out.print(RunUsage.TEXT);
            return 0;
        }
        // Begun before there is anything to protect, and done before there is a program: it could look into this
        // process, as its user.
        CompletableFuture<String> unprotected = CompletableFuture.supplyAsync(Dumping::forbid);
        LogLevels.set(LogSection.Level.WARN);
        Preload.begin();
        try {
            RunOptions options = RunArguments.parse(words);
            // Nothing is read before that others must not see.
            String reason = options.policy().mayHoldSecrets() ? unprotected.join() : "";
            Map<String, String> environment = RunEnvironment.read();
            requireSecrets(options, environment);
            if (!reason.isEmpty()) {
                say(err, "the program may read real values in this process: " + reason);
            }
            ProgramLookup.require(options.command().getFirst(), environment.getOrDefault("PATH", "/usr/bin:/bin"));
            return new ProgramRun(options, environment, unprotected, err).run();
        } catch (NotRunException e) {
            say(err, String.valueOf(e.getMessage()));
            return e.code();
        } catch (UsageException e) {
            say(err, String.valueOf(e.getMessage()));
            return USAGE;
        } catch (IOException e) {
            throw new Failure("run: " + e.getMessage());
        }
    }

    /** Runs a program that does nothing, to load what a run needs. It takes over signals as a run does. Blocks. */
    public static void rehearse() throws Failure, InterruptedException {
        run(List.of("--quiet", "--", "true"));
    }

    private static void requireSecrets(RunOptions options, Map<String, String> environment) throws UsageException {
        for (SecretOption secret : options.policy().secrets()) {
            if (environment.getOrDefault(secret.variable(), "").isEmpty()) {
                throw new UsageException(
                        "--secret " + secret.name() + ": the variable " + secret.variable() + " is not set",
                        "its value in the environment");
            }
        }
    }

    private int run() throws IOException, Failure, InterruptedException, UsageException, NotRunException {
        ChildSignals signals = ChildSignals.install();
        questions = options.policy().ask() ? questions(signals) : null;
        Confinements.Begun begun = Confinements.begin(options.isolation(), policy.ports());
        try (RunFolder folder = RunFolder.create();
                Plugins plugins = Home.loadPlugins();
                EphemeralAuthority authority = EphemeralAuthority.create(folder.closed())) {
            CompletableFuture<TrustFiles> trust = CompletableFuture.supplyAsync(() -> trustFiles(folder, authority));
            RunLearning learning = RunLearning.of(options, folder.closed());
            int code;
            try (Confinement confinement = Confinements.choose(options, begun, environment, folder, this::note)) {
                EgressProxy proxy = proxy(plugins, authority, learning.sink(), confinement.needsVariables());
                code = run(confinement, proxy, authority, signals, trust);
                if (!options.output().quiet()) {
                    RunSummary.lines(traffic, confinement.sockets()).forEach(this::note);
                    if (questions != null) {
                        questions.summary().forEach(this::note);
                    }
                }
            }
            learning.write(plugins.catalog(), environment, this::note);
            return code;
        }
    }

    private int run(
            Confinement confinement,
            EgressProxy proxy,
            EphemeralAuthority authority,
            ChildSignals signals,
            CompletableFuture<TrustFiles> trust)
            throws IOException, Failure, InterruptedException, UsageException, NotRunException {
        try (proxy;
                PacketRecords records = PacketRecords.to(options.output().audit());
                RecordsPage page = options.output().inspect() ? new RecordsPage(recent) : null) {
            start(proxy, authority);
            if (page != null) {
                note("inspect: " + page.start());
            }
            confinement.adopt(proxy);
            Map<String, String> variables = child(proxy.tunnelAddress(), trust.join());
            unprotected.join(); // the program could look for the authority's key
            return confinement.run(options.command(), variables, signals, packet -> refused(packet, records));
        }
    }

    private void refused(RefusedPacket packet, PacketRecords records) {
        if (traffic.refused(packet)) {
            try {
                records.append(packet);
            } catch (IOException e) {
                note("no record of " + packet + ": " + e.getMessage());
            }
        }
    }

    private TrustFiles trustFiles(RunFolder folder, EphemeralAuthority authority) {
        try {
            return TrustFiles.write(folder, authority.authority(), environment);
        } catch (IOException e) {
            throw new CompletionException(e);
        }
    }

    private static void start(EgressProxy proxy, EphemeralAuthority authority) throws Failure, IOException {
        try {
            proxy.start();
        } catch (StartException e) {
            throw new Failure(e.problems());
        }
        authority.close();
    }

    /** @param listening whether the program is led to the proxy; else its sockets are adopted, and nobody else has any */
    private EgressProxy proxy(Plugins plugins, EphemeralAuthority authority, AuditSink sink, boolean listening) {
        EgressProxy.Builder builder = EgressProxy.builder();
        Path file = policy.file();
        builder = file == null ? builder.configText(policy.name(), policy.text(), policy.base()) : builder.config(file);
        Map<String, String> overrides = new HashMap<>(environment);
        overrides.put("SALLYPORT_DNS_ENABLED", "false");
        overrides.put("SALLYPORT_PROXY_HTTP_LISTEN", "disabled");
        overrides.put("SALLYPORT_PROXY_HTTPS_LISTEN", "disabled");
        overrides.put("SALLYPORT_PROXY_TUNNEL_LISTEN", listening ? "127.0.0.1:0" : "disabled");
        overrides.put("SALLYPORT_PROXY_TUNNEL_DENIALS", "inside");
        overrides.put("SALLYPORT_TLS_CA_CERT", authority.certificate().toString());
        overrides.put("SALLYPORT_TLS_CA_KEY", authority.key().toString());
        overrides.put("SALLYPORT_LOG_AUDIT_STDOUT", "false");
        return builder.environment(overrides)
                .catalog(new HintingCatalog(plugins.catalog(), questions == null ? null : new Asking(questions)))
                .auditSink(sink)
                .auditListener(traffic)
                .auditListener(recent)
                .adoptsListeners(!listening)
                .explainsRefusals()
                .build();
    }

    private Map<String, String> child(@Nullable InetSocketAddress proxy, TrustFiles trust) {
        return new ChildEnvironment(environment)
                .secrets(hidden, policy.placeholders())
                .trusting(trust)
                .through(proxy, trust)
                .variables();
    }

    private void note(String line) {
        say(err, line);
    }

    private static void say(PrintStream err, String line) {
        err.println("sallyport: " + line);
        err.flush();
    }
}
