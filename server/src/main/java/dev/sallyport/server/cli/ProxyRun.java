package dev.sallyport.server.cli;

import dev.sallyport.server.Failure;
import dev.sallyport.server.Home;
import dev.sallyport.server.Preload;
import dev.sallyport.server.Server;
import dev.sallyport.server.ServerModule;
import dev.sallyport.server.Signals;
import java.nio.file.Path;

/** One run of the proxy. It stands apart from the command, so that a start verifies no class that names picocli's. */
final class ProxyRun {

    private ProxyRun() {}

    /** Runs until a signal stops it, and returns the {@link ExitCode}. */
    static int run(Path config) throws Failure, InterruptedException {
        Signals signals = Signals.install();
        Preload.begin();
        ServerModule.Options options = new ServerModule.Options(config, System.getenv(), null);
        try (Server server = ServerModule.server(options, Home.loadPlugins())) {
            server.start();
            server.serve(signals);
            return server.proxy().endedHard() ? ExitCode.PROBLEM : ExitCode.OK;
        }
    }
}
