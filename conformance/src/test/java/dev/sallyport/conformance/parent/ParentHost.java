package dev.sallyport.conformance.parent;

import dev.sallyport.conformance.Gate;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** A process for a network namespace of its own: a proxy that lets one host through. Ends with its input. */
public final class ParentHost {

    private ParentHost() {}

    /** @param arguments a folder, the URL of the parent, the value of {@code resolve} */
    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        String trusted = Files.readString(folder.resolve("origin.pem"));
        try (Gate gate = new Gate(
                folder,
                trusted,
                Map.of(
                        "HTTP_PROXY",
                        arguments[1],
                        "HTTPS_PROXY",
                        arguments[1],
                        "SALLYPORT_PROXY_UPSTREAM_PROXY_RESOLVE",
                        arguments[2]),
                "transforms: [{name: allowlist, config: {rules: [{host: localhost}, {cidr: 10.99.4.0/24}]}}]")) {
            say("tunnel " + gate.tunnelPort());
            while (System.in.read() >= 0) {
                // Until the test ends.
            }
        }
    }

    private static void say(String line) throws IOException {
        System.out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        System.out.flush();
    }
}
