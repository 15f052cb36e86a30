package dev.sallyport.server.log;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.logging.LogManager;

/**
 * Has {@code java.util.logging}, which gRPC, Guava and Google's library write to, go the way of the ordinary log. The JVM
 * makes one when the first of them asks for a logger, and a start without them loads nothing.
 */
public final class JulSetup {

    private static final String CLASS = "java.util.logging.config.class";
    private static final String FILE = "java.util.logging.config.file";
    private static final String CONFIGURATION = "handlers=org.slf4j.bridge.SLF4JBridgeHandler\n.level=INFO\n";

    /** Called by the JVM. */
    public JulSetup() throws IOException {
        LogManager.getLogManager()
                .readConfiguration(new ByteArrayInputStream(CONFIGURATION.getBytes(StandardCharsets.ISO_8859_1)));
    }

    /** Names the class to the JVM, unless the command line names another, or a file. */
    public static void install() {
        if (System.getProperty(CLASS) == null && System.getProperty(FILE) == null) {
            System.setProperty(CLASS, JulSetup.class.getName());
        }
    }
}
