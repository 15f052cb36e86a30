package dev.sallyport.control;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.control.model.Json;
import dev.sallyport.core.StartException;
import dev.sallyport.core.SubcommandContext;
import dev.sallyport.core.config.CompanionAlone;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.ExposureWarnings;
import dev.sallyport.core.config.Locations;
import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.core.config.SectionEntry;
import dev.sallyport.spi.ConfigException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
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

/** The options of {@link ControlCommand}. */
@Command(
        name = "sallyport control",
        description = "Run the control plane of a configuration alone, without a proxy.",
        synopsisHeading = "Usage: ",
        customSynopsis = {"sallyport control -config FILE", "       sallyport control COMMAND -config FILE ..."},
        descriptionHeading = "%n",
        optionListHeading = "%nOptions:%n",
        commandListHeading = "%nCommands:%n",
        footerHeading = "%n",
        footer = {
            "Of the file, only the sections control, metrics and log are read.",
            "Commands reach a running control plane through the socket in its state_dir; without one, they open the",
            "database themselves. Passwords are read from standard input, one line."
        })
final class ControlCommandLine implements Callable<Integer> {

    private static final int PROBLEM = 1;

    private final SubcommandContext context;

    @Option(
            names = {"-c", "-config", "--config"},
            paramLabel = "FILE",
            description = "The configuration.")
    @Nullable Path config;

    @Spec
    @Nullable CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    boolean help;

    ControlCommandLine(SubcommandContext context) {
        this.context = context;
    }

    /** A configuration and its section. */
    private record Configured(ProxyConfig whole, SectionEntry<?> entry, Locations places) {

        ControlConfig control() {
            return (ControlConfig) entry.config();
        }
    }

    @Override
    public Integer call() throws InterruptedException {
        if (config == null) {
            throw new ParameterException(Objects.requireNonNull(spec).commandLine(), "nothing to run");
        }
        Configured configured = read(config);
        if (configured == null) {
            return PROBLEM;
        }
        ExposureWarnings.ofMetrics(configured.whole(), configured.places())
                .forEach(warning -> complain("warning: " + warning));
        try (ControlPlane plane = new ControlPlane(configured.control(), surroundings())) {
            plane.prepare();
            context.serve(configured.whole(), plane::ready);
            return 0;
        } catch (ConfigException e) {
            complain(configured.entry().problem(e).toString());
        } catch (StartException e) {
            e.problems().forEach(this::complain);
        }
        return PROBLEM;
    }

    private Surroundings surroundings() {
        return new Surroundings(context.environment()::get, context.telemetry(), Clock.systemUTC(), null);
    }

    private void complain(String problem) {
        context.err().println("sallyport: " + problem);
    }

    /** Null when there are problems; they have been reported. */
    private @Nullable Configured read(Path file) {
        ConfigResult result = context.load(file);
        ProxyConfig draft = result.draft();
        List<ConfigProblem> problems = CompanionAlone.only(result, ControlFactory.SECTION, result.problems());
        problems.forEach(problem -> complain(problem.toString()));
        if (draft == null || !problems.isEmpty()) {
            return null;
        }
        for (SectionEntry<?> entry : draft.companions()) {
            if (entry.config() instanceof ControlConfig) {
                entry.doubts(doubt -> context.err().println("sallyport: warning: " + doubt));
                return new Configured(draft, entry, result.places());
            }
        }
        complain(file + ": no section control (expected: control: {listen: ...})");
        return null;
    }

    /** {@code add-user}. */
    @Command(name = "add-user", description = "Make an account, also where sign-up is closed; prints its first key.")
    int addUser(
            @Mixin ConfigFile file,
            @Option(names = "--email", required = true, description = "E-mail address.") String email,
            @Option(names = "--first-name", required = true, description = "First name.") String firstName,
            @Option(names = "--last-name", required = true, description = "Last name.") String lastName)
            throws IOException {
        return administer(
                file,
                "add-user",
                JsonNodeFactory.instance
                        .objectNode()
                        .put("first_name", firstName)
                        .put("last_name", lastName)
                        .put("email", email)
                        .put("password", password()));
    }

    /** {@code add-key}. */
    @Command(name = "add-key", description = "Make a key for a user; prints it.")
    int addKey(
            @Mixin ConfigFile file,
            @Option(names = "--email", required = true, description = "E-mail address of the user.") String email,
            @Option(names = "--name", defaultValue = "default", description = "Name of the key (${DEFAULT-VALUE}).")
                    String name,
            @Option(names = "--expires-at", paramLabel = "TIME", description = "Such as 2027-01-01T00:00:00Z.")
                    @Nullable String expiresAt)
            throws IOException {
        return administer(
                file,
                "add-key",
                JsonNodeFactory.instance
                        .objectNode()
                        .put("email", email)
                        .put("name", name)
                        .put("expires_at", expiresAt));
    }

    /** {@code reset-password}. */
    @Command(name = "reset-password", description = "Set the password of a user.")
    int resetPassword(
            @Mixin ConfigFile file,
            @Option(names = "--email", required = true, description = "E-mail address of the user.") String email)
            throws IOException {
        return administer(
                file,
                "reset-password",
                JsonNodeFactory.instance.objectNode().put("email", email).put("password", password()));
    }

    /** {@code backup}. */
    @Command(
            name = "backup",
            description = "Copy the SQLite database as it is, while the control plane runs or does not.")
    int backup(
            @Mixin ConfigFile file,
            @Option(names = "--to", required = true, paramLabel = "FILE", description = "A file that is not there yet.")
                    Path to)
            throws IOException {
        return administer(
                file,
                "backup",
                JsonNodeFactory.instance
                        .objectNode()
                        .put("to", to.toAbsolutePath().normalize().toString()));
    }

    /** {@code rotate-key}. */
    @Command(
            name = "rotate-key",
            description =
                    "Encrypt all values anew with a new key, while the control plane runs or does not; goes on with what was not finished.")
    int rotateKey(
            @Mixin ConfigFile file,
            @Option(names = "--remove-old", description = "Then remove the old keys; backups of before need them.")
                    boolean removeOld)
            throws IOException {
        return administer(
                file, "rotate-key", JsonNodeFactory.instance.objectNode().put("remove_old", removeOld));
    }

    /** {@code add-proxy}. */
    @Command(
            name = "add-proxy",
            description = "Make a proxy of the installation, which serves all accounts; prints its token, this once.")
    int addProxy(
            @Mixin ConfigFile file,
            @Option(
                            names = "--shared",
                            required = true,
                            description = "It is shared by all accounts; each makes those of its own by the API.")
                    boolean shared,
            @Option(
                            names = "--tags",
                            split = ",",
                            paramLabel = "TAG",
                            description = "Policies reach it whose tags are all among these.")
                    @Nullable List<String> tags,
            @Parameters(paramLabel = "NAME", description = "Names it, such as eu-1.") String name)
            throws IOException {
        ObjectNode arguments = JsonNodeFactory.instance.objectNode().put("name", name);
        ArrayNode list = arguments.putArray("tags");
        if (tags != null) {
            tags.forEach(list::add);
        }
        return administer(file, "add-proxy", arguments);
    }

    /** {@code list-proxies}. */
    @Command(name = "list-proxies", description = "List the proxies that all accounts share, and what does not work.")
    int listProxies(@Mixin ConfigFile file) throws IOException {
        return administer(file, "list-proxies", JsonNodeFactory.instance.objectNode());
    }

    /** {@code revoke-proxy}. */
    @Command(
            name = "revoke-proxy",
            description = "Revoke the token of a proxy that all accounts share: it forgets all, and refuses everybody.")
    int revokeProxy(
            @Mixin ConfigFile file, @Parameters(paramLabel = "NAME", description = "As it was made.") String name)
            throws IOException {
        return administer(
                file, "revoke-proxy", JsonNodeFactory.instance.objectNode().put("name", name));
    }

    /** {@code proxy-head}. */
    @Command(
            name = "proxy-head",
            description = {
                "Print the last checkpoint of the audit log of a proxy that all accounts share, cosigned: sallyport audit",
                "verify --head finds with it whether the end was cut off."
            })
    int proxyHead(
            @Mixin ConfigFile file,
            @Option(
                            names = "--origin",
                            defaultValue = "",
                            description = "Of several logs, that of this origin; else that which was heard of last.")
                    String origin,
            @Parameters(paramLabel = "NAME", description = "As it was made.") String name)
            throws IOException {
        return administer(
                file,
                "proxy-head",
                JsonNodeFactory.instance.objectNode().put("name", name).put("origin", origin));
    }

    /** {@code restore}. */
    @Command(
            name = "restore",
            description = "Put a backup in the place of the SQLite database, while the control plane does not run.")
    int restore(
            @Mixin ConfigFile file,
            @Option(names = "--from", required = true, paramLabel = "FILE", description = "The backup.") Path from) {
        Configured configured = read(file.path());
        if (configured == null) {
            return PROBLEM;
        }
        try (ControlPlane plane = new ControlPlane(configured.control(), surroundings())) {
            plane.restore(from.toAbsolutePath());
        } catch (ConfigException e) {
            complain(configured.entry().problem(e).toString());
            return PROBLEM;
        }
        context.out().println("restored from " + from + "; what was there is kept beside it, as .replaced");
        return 0;
    }

    private String password() throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(context.in(), StandardCharsets.UTF_8));
        String line = lines.readLine();
        return line == null ? "" : line;
    }

    private int administer(ConfigFile file, String command, ObjectNode arguments) throws IOException {
        Configured configured = read(file.path());
        if (configured == null) {
            return PROBLEM;
        }
        ObjectNode request = JsonNodeFactory.instance.objectNode().put("command", command);
        request.set("arguments", arguments);
        AdminCommands.Outcome outcome;
        try {
            outcome = run(configured.control(), request);
        } catch (ConfigException e) {
            complain(configured.entry().problem(e).toString());
            return PROBLEM;
        }
        outcome.lines().forEach(outcome.good() ? context.out()::println : this::complain);
        outcome.warnings().forEach(warning -> complain("warning: " + warning));
        return outcome.good() ? 0 : PROBLEM;
    }

    private AdminCommands.Outcome run(ControlConfig control, ObjectNode request) throws ConfigException, IOException {
        try (SocketChannel running = AdminSocket.connect(StateFolder.socket(control.stateDir()))) {
            if (running != null) {
                return AdminSocket.send(running, Json.bytes(request));
            }
        }
        try (OfflineAdmin offline = OfflineAdmin.open(control, surroundings())) {
            return offline.commands().run(request);
        }
    }
}
