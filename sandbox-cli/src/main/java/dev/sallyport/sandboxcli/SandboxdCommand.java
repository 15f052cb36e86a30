package dev.sallyport.sandboxcli;

import dev.sallyport.core.Subcommand;
import dev.sallyport.core.SubcommandContext;
import dev.sallyport.sandboxd.Sandboxd;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** {@code sallyport sandboxd}: runs VMs, as root, for a control plane that is not. */
public final class SandboxdCommand implements Subcommand {

    private static final Set<String> CONFIG = Set.of("-config", "--config", "-c");
    private static final int PROBLEM = 1;
    private static final int WRONG_USAGE = 2;

    /** For the service loader. */
    public SandboxdCommand() {}

    @Override
    public String name() {
        return "sandboxd";
    }

    @Override
    public String summary() {
        return "Run sandboxes as root, for a control plane that is not.";
    }

    @Override
    public int run(List<String> arguments, SubcommandContext context) throws InterruptedException {
        Sandboxd.Streams streams = new Sandboxd.Streams(context.in(), context.out(), context.err());
        List<String> options = new ArrayList<>();
        List<String> files = new ArrayList<>();
        for (int i = 0; i < arguments.size(); i += 2) {
            List<String> pair = arguments.subList(i, Math.min(i + 2, arguments.size()));
            boolean isFile = CONFIG.contains(pair.getFirst()) && pair.size() == 2;
            (isFile ? files : options).addAll(isFile ? pair.subList(1, 2) : pair);
        }
        if (files.size() > 1) {
            context.err().println("sandboxd: -config is there twice (expected: see --help)");
            return WRONG_USAGE;
        }
        if (files.isEmpty() || options.contains("--help")) {
            return Sandboxd.run(Map.of(), options, streams);
        }
        Map<String, String> configured = new SandboxdFile(context).read(Path.of(files.getFirst()));
        return configured == null ? PROBLEM : Sandboxd.run(configured, options, streams);
    }
}
