package dev.sallyport.server.run;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.server.Failure;
import dev.sallyport.server.run.linux.RefusedPacket;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** How the program reaches the proxy, and whether anything else. Not thread-safe. */
interface Confinement extends AutoCloseable {

    /** Lets a proxy that has been started accept what comes from the program. */
    void adopt(EgressProxy proxy) throws Failure, IOException;

    /**
     * Runs the program to its end. Blocks.
     *
     * @param environment of the program, and nothing else
     * @param signals told of the program once it is started
     * @param refusals told what the kernel refuses, one at a time
     * @return the exit code
     * @throws UsageException when this confinement turns out to be impossible here; the program has not been started
     * @throws NotRunException when the program cannot be run
     */
    int run(
            List<String> command,
            Map<String, String> environment,
            ChildSignals signals,
            Consumer<RefusedPacket> refusals)
            throws IOException, InterruptedException, UsageException, NotRunException;

    /** What became of UNIX sockets that lead outside; null for a confinement that masks none. */
    @Nullable SocketReport sockets();

    /** Whether variables have to lead the program to the proxy. */
    boolean needsVariables();

    @Override
    void close() throws IOException;
}
