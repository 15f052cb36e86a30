package dev.sallyport.server.cli;

import dev.sallyport.core.config.SchemaGenerator;
import dev.sallyport.server.Failure;
import dev.sallyport.server.Home;
import dev.sallyport.server.plugin.Plugins;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code sallyport schema}. */
@Command(
        name = "schema",
        description = "Print the JSON Schema of the configuration, with the plug-ins that are installed.")
final class SchemaCommand implements Callable<Integer> {

    @Mixin
    HelpOption help = new HelpOption();

    @Override
    public Integer call() throws Failure {
        try (Plugins plugins = Home.loadPlugins()) {
            System.out.print(SchemaGenerator.generate(plugins.catalog()));
            return ExitCode.OK;
        }
    }
}
