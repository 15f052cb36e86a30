package dev.sallyport.sandboxcli;

import dev.sallyport.core.SubcommandContext;
import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.config.ProxyConfig;
import io.opentelemetry.api.OpenTelemetry;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** What commands are given that serve nothing: an empty environment and input, and a program with these plug-ins. */
record TestContext(PrintWriter out, PrintWriter err, PluginCatalog catalog) implements SubcommandContext {

    TestContext(Writer out, Writer err, PluginCatalog catalog) {
        this(new PrintWriter(out, true), new PrintWriter(err, true), catalog);
    }

    @Override
    public Map<String, String> environment() {
        return Map.of();
    }

    @Override
    public InputStream in() {
        return InputStream.nullInputStream();
    }

    @Override
    public ConfigResult load(Path file) {
        return ConfigLoader.load(file, environment(), catalog);
    }

    @Override
    public OpenTelemetry telemetry() {
        return OpenTelemetry.noop();
    }

    @Override
    public void serve(ProxyConfig config, BooleanSupplier ready) {
        throw new AssertionError("a command of sandboxes serves");
    }
}
