package dev.sallyport.conformance;

import dev.sallyport.core.EgressProxy;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No transform asks for messages: the proxy is not to be noticed. */
@Tag("long")
class AutobahnRelayTest {

    @Test
    void everyCasePassesThroughTheProxy(@TempDir Path folder) throws Exception {
        Autobahn.run("relay", folder, true, EgressProxy.builder());
    }
}
