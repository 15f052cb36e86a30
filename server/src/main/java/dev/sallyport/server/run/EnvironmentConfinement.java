package dev.sallyport.server.run;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.server.run.linux.RefusedPacket;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Variables lead the program to the proxy; one that ignores them gets past. */
final class EnvironmentConfinement implements Confinement {

    @Override
    public void adopt(EgressProxy proxy) {
        // It listens where the variables say.
    }

    @Override
    public int run(
            List<String> command,
            Map<String, String> environment,
            ChildSignals signals,
            Consumer<RefusedPacket> refusals)
            throws InterruptedException, NotRunException {
        ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
        builder.environment().clear();
        builder.environment().putAll(environment);
        Process process;
        try {
            process = builder.start();
        } catch (IOException e) {
            throw ProgramLookup.notRun(command.getFirst(), e);
        }
        signals.started(new ChildSignals.Child(process, process::toHandle));
        return process.waitFor();
    }

    @Override
    public @Nullable SocketReport sockets() {
        return null;
    }

    @Override
    public boolean needsVariables() {
        return true;
    }

    @Override
    public void close() {
        // Nothing is held.
    }
}
