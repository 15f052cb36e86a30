package dev.sallyport.control;

import dev.sallyport.sandbox.SandboxdOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has sandboxd started where a proxy is root and nobody has, or says what to run. It gets the options that are in force, and
 * does not read the configuration: a file that was changed meanwhile changes neither of the two.
 */
final class SandboxdStart {

    private static final Logger LOG = LoggerFactory.getLogger(SandboxdStart.class);
    private static final String ROOT = "root";
    private static final String PATH = "PATH";
    private static final String USUAL_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

    /** Besides the path, all of the environment that it is given: it needs nobody's secrets. */
    private static final List<String> LOCALE = List.of("LANG", "LC_ALL", "LC_CTYPE");

    private final ControlConfig config;
    private final Surroundings.Program program;
    private final Function<String, @Nullable String> environment;
    private final String user;

    SandboxdStart(ControlConfig config, Surroundings.Program program, Function<String, @Nullable String> environment) {
        this(config, program, environment, System.getProperty("user.name", ""));
    }

    /** @param user who runs this process */
    SandboxdStart(
            ControlConfig config,
            Surroundings.Program program,
            Function<String, @Nullable String> environment,
            String user) {
        this.config = config;
        this.program = program;
        this.environment = environment;
        this.user = user;
    }

    /**
     * Begins; does not wait for it.
     *
     * @param gate the proxy of this process
     * @return whether it is started
     */
    boolean begin(SandboxdKeeper keeper, SandboxdOptions.Gate gate) {
        Map<String, String> options = config.sandboxd(gate).orElse(null);
        Path socket = config.sandboxes().socket();
        if (options == null || !program.isForSandboxes() || program.words().isEmpty()) {
            return false;
        }
        if (SandboxdKeeper.isAnswered(socket)) {
            LOG.info("sandboxd answers at {}", socket);
            return false;
        }
        if (config.sandboxes().start() == SandboxConfig.Start.AUTO && user.equals(ROOT)) {
            keeper.start(new SandboxdKeeper.Launch(command(options), variables(), socket));
            return true;
        }
        LOG.info("nobody answers at {}: VMs wait for sandboxd (expected, as root: {})", socket, advice());
        return false;
    }

    /** In a session of its own: what a terminal sends to the proxy is not for it. */
    private List<String> command(Map<String, String> options) {
        List<String> command = new ArrayList<>(List.of("setsid"));
        command.addAll(program.words());
        command.add("sandboxd");
        options.forEach((name, value) -> command.addAll(List.of("--" + name.replace('_', '-'), value)));
        command.addAll(List.of("--end-with-input", "true"));
        return command;
    }

    private Map<String, String> variables() {
        Map<String, String> variables = new HashMap<>();
        String path = environment.apply(PATH);
        variables.put(PATH, path == null ? USUAL_PATH : path);
        variables.put("JAVA_HOME", System.getProperty("java.home"));
        for (String name : LOCALE) {
            String value = environment.apply(name);
            if (value != null) {
                variables.put(name, value);
            }
        }
        return variables;
    }

    private String advice() {
        List<String> words = new ArrayList<>(List.of("sallyport", "sandboxd"));
        if (program.file() != null) {
            words.addAll(List.of("-config", program.file().toAbsolutePath().toString()));
        }
        if (!config.sandboxes().sandboxd().user().equals(user)) {
            words.addAll(List.of("--user", user));
        }
        return String.join(" ", words);
    }
}
