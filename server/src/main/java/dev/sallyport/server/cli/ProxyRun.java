package dev.sallyport.server.cli;

import dev.sallyport.server.Failure;
import dev.sallyport.server.Home;
import dev.sallyport.server.Preload;
import dev.sallyport.server.Server;
import dev.sallyport.server.ServerModule;
import dev.sallyport.server.Signals;
import dev.sallyport.server.run.ProgramRun;
import java.nio.file.Path;

/** One run of the proxy. Separate from the command, so that a start verifies no class that refers to picocli. */
final class ProxyRun {

    /** Set by the launcher where an archive of loaded classes is to be left: it is for other commands too. */
    private static final String ARCHIVED = "sallyport.archive.make";

    private ProxyRun() {}

    /** Runs until a signal stops it, and returns the {@link ExitCode}. */
    static int run(Path config) throws Failure, InterruptedException {
        if (Boolean.getBoolean(ARCHIVED)) {
            ProgramRun.rehearse();
        }
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
