package dev.sallyport.server.cli;

import dev.sallyport.server.Home;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code sallyport version}. */
@Command(name = "version", description = "Show the version.")
final class VersionCommand implements Callable<Integer> {

    @Mixin
    HelpOption help = new HelpOption();

    @Override
    public Integer call() {
        System.out.println("sallyport " + Home.version() + " (Java " + Runtime.version() + ", "
                + System.getProperty("os.name") + " " + System.getProperty("os.arch") + ")");
        return ExitCode.OK;
    }
}
