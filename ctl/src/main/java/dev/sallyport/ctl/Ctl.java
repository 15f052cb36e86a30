package dev.sallyport.ctl;

import dev.sallyport.ctl.client.ApiClient;
import dev.sallyport.ctl.client.Reply;
import dev.sallyport.ctl.client.Target;
import dev.sallyport.ctl.context.Context;
import dev.sallyport.ctl.context.Contexts;
import dev.sallyport.ctl.context.ServerUrl;
import dev.sallyport.ctl.problem.ExitCode;
import dev.sallyport.ctl.problem.Problem;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The options of all commands, and what follows from them: which server, as whom, and how answers are shown. */
@Command(
        name = "sallyport ctl",
        description = "Use a control plane over its API.",
        synopsisSubcommandLabel = "COMMAND",
        synopsisHeading = "Usage: ",
        descriptionHeading = "%n",
        optionListHeading = "%nOptions:%n",
        commandListHeading = "%nCommands:%n",
        footerHeading = "%n",
        footer = {
            "Environment: SALLYPORT_SERVER names the server, SALLYPORT_API_KEY is the key for it; both win over what",
            "login has kept. Exit codes: 0 done, 1 refused by the control plane, 2 wrong usage, 3 control plane not",
            "reached, 4 not signed in, 5 changed, but not known to be applied (--wait)."
        })
final class Ctl {

    private static final String SERVER = "SALLYPORT_SERVER";
    private static final String API_KEY = "SALLYPORT_API_KEY";
    private static final String LOCAL = "http://127.0.0.1:8090";

    private final Terminal terminal;
    private final Contexts contexts;

    @Option(
            names = "--server",
            paramLabel = "URL",
            scope = ScopeType.INHERIT,
            description = "The control plane; by default the one that was signed in at last.")
    @Nullable String server;

    @Option(
            names = "--ca-cert",
            paramLabel = "FILE",
            scope = ScopeType.INHERIT,
            description = "Certificates (PEM) to trust instead of the usual ones.")
    @Nullable Path caCert;

    @Option(
            names = "--insecure-http",
            scope = ScopeType.INHERIT,
            description = "Send the key to another machine without TLS.")
    boolean insecureHttp;

    @Option(
            names = "--request-timeout",
            paramLabel = "DURATION",
            scope = ScopeType.INHERIT,
            defaultValue = "30s",
            converter = DurationConverter.class,
            description = "How long an answer may take (${DEFAULT-VALUE}).")
    Duration requestTimeout = Duration.ofSeconds(30);

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            scope = ScopeType.INHERIT,
            converter = Format.Converter.class,
            description = "json or yaml: the document of the API; name; wide: more columns.")
    @Nullable Format output;

    @Option(names = "--json", scope = ScopeType.INHERIT, description = "The same as -o json.")
    boolean json;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Show this help.")
    boolean help;

    Ctl(Terminal terminal) {
        this.terminal = terminal;
        this.contexts = Contexts.of(terminal.environment());
    }

    Terminal terminal() {
        return terminal;
    }

    Contexts contexts() {
        return contexts;
    }

    Printer printer() throws Problem {
        return new Printer(terminal, format());
    }

    /** Shows a change that was made, and waited for where that was asked for; returns the exit code. */
    int changed(Reply reply, View view, String word, Waiting waiting) throws Problem {
        printer().done(reply, view, word + waiting.suffix(reply));
        waiting.check(reply);
        return ExitCode.DONE;
    }

    /** Tells that something is no more, and was waited for where that was asked for. */
    void gone(Reply reply, String name, String word, Waiting waiting) throws Problem {
        printer().gone(name, word);
        waiting.check(reply);
    }

    /** What was asked for. */
    Format format() throws Problem {
        if (json && output != null && output != Format.JSON) {
            throw Problem.usage("--json together with another format (expected: one of them)");
        }
        if (json) {
            return Format.JSON;
        }
        return output == null ? Format.TABLE : output;
    }

    /** The server that was asked for, or that was signed in at last; null if there is none. */
    private @Nullable URI chosen() throws Problem {
        if (server != null) {
            return ServerUrl.parse(server, "--server");
        }
        String variable = terminal.environment().getOrDefault(SERVER, "");
        return variable.isEmpty() ? contexts.current() : ServerUrl.parse(variable, SERVER);
    }

    /** The server to sign in at. */
    URI serverToSignInAt() throws Problem {
        URI chosen = chosen();
        return chosen == null ? URI.create(LOCAL) : chosen;
    }

    /** The server of the kept sign-in that is meant. */
    URI signedInServer() throws Problem {
        URI chosen = chosen();
        if (chosen == null) {
            throw new Problem(ExitCode.NOT_SIGNED_IN, "not signed in (expected: sallyport ctl login --server URL)");
        }
        return chosen;
    }

    /** The server, as nobody. */
    Target target(URI address, @Nullable Context context) throws Problem {
        Path authorities = caCert == null && context != null ? context.caCert() : caCert;
        boolean exposed = insecureHttp || (context != null && context.insecureHttp());
        if (ServerUrl.isExposed(address) && !exposed) {
            throw Problem.usage("the key would go to " + address
                    + " unencrypted (expected: https, or --insecure-http if the way there is safe)");
        }
        return new Target(address, null, authorities, requestTimeout);
    }

    /** A client with a key. */
    ApiClient signedIn() throws Problem {
        format(); // before anything is sent
        URI address = signedInServer();
        Context context = contexts.find(address);
        String key = terminal.environment().getOrDefault(API_KEY, "");
        if (!key.isEmpty()) {
            checkKey(key, API_KEY);
        } else if (context != null) {
            warnIfOpen();
            key = context.key();
            checkKey(key, contexts.file().toString());
        } else {
            throw new Problem(
                    ExitCode.NOT_SIGNED_IN,
                    "not signed in at " + address + " (expected: sallyport ctl login --server " + address
                            + ", or a key in " + API_KEY + ")");
        }
        return ApiClient.of(target(address, context).as(key), terminal.pause());
    }

    private void warnIfOpen() throws Problem {
        if (contexts.isOpen()) {
            terminal.note("sallyport: warning: " + contexts.file()
                    + " can be read by others (expected: mode 0600, since it holds keys)");
        }
    }

    /** Refuses what no header field can hold, without repeating it. */
    static void checkKey(String key, String origin) throws Problem {
        if (!key.matches("[!-~]{1,1024}")) {
            throw new Problem(
                    ExitCode.NOT_SIGNED_IN, "what is in " + origin + " is not a key (expected: printable ASCII)");
        }
    }
}
