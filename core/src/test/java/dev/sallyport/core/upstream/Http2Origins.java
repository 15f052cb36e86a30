package dev.sallyport.core.upstream;

import dev.sallyport.core.tls.ClientTls;
import dev.sallyport.core.tls.TlsProvider;
import dev.sallyport.spi.Destination;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** What tests of HTTP/2 have in common: origins that agree to it, and clients that trust them. */
class Http2Origins {

    @TempDir
    static Path folder;

    static TlsOrigins origins;
    static ClientTls tls;

    @BeforeAll
    static void makeCertificate() throws Exception {
        origins = new TlsOrigins(folder);
        tls = origins.trusting(TlsProvider.best());
    }

    @AfterAll
    static void close() {
        tls.close();
    }

    static Client client() {
        return client(limits -> limits);
    }

    static Client client(UnaryOperator<Client.Limits> change) {
        return new Client(Client.profile(change, tls));
    }

    static RawOrigin origin(RawOrigin.Script... scripts) {
        return RawOrigin.h2(origins.server, scripts);
    }

    static Route route(RawOrigin origin) {
        return Route.chosenByWorkload(Destination.named("origin.test", origin.port(), true), "ci");
    }
}
