package dev.sallyport.sandboxcli;

import dev.sallyport.core.Subcommand;
import dev.sallyport.core.SubcommandContext;
import dev.sallyport.sandboxd.Sandboxd;
import java.util.List;

/** {@code sallyport sandboxd}: runs VMs, as root, for a control plane that is not. */
public final class SandboxdCommand implements Subcommand {

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
        return Sandboxd.run(arguments, context.out(), context.err());
    }
}
