package dev.sallyport.ctl;

import dev.sallyport.core.Subcommand;
import dev.sallyport.core.SubcommandContext;
import java.time.Clock;
import java.util.List;

/** {@code sallyport ctl}: uses a control plane over its API. */
public final class CtlCommand implements Subcommand {

    /** For the service loader. */
    public CtlCommand() {}

    @Override
    public String name() {
        return "ctl";
    }

    @Override
    public String summary() {
        return "Use a control plane: sign in, and manage policies, secrets, VMs, agents and what else it holds.";
    }

    @Override
    public int run(List<String> arguments, SubcommandContext context) throws InterruptedException {
        return CtlProgram.run(
                arguments,
                new Terminal(
                        context.environment(),
                        context.in(),
                        context.out(),
                        context.err(),
                        Clock.systemUTC(),
                        Thread::sleep));
    }
}
