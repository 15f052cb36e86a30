package dev.sallyport.core.upstream;

import dev.sallyport.core.tls.ClientTls;
import dev.sallyport.core.tls.TlsProvider;
import dev.sallyport.core.tls.TrustRoots;
import dev.sallyport.spi.Destination;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** What tests of HTTP/2 have in common: origins that agree to it, and clients that trust them. */
class Http2Origins {

    @TempDir
    static Path folder;

    static TestCertificates origins;
    static ClientTls tls;

    @BeforeAll
    static void makeCertificate() throws Exception {
        origins = new TestCertificates(folder, "origin.test");
        tls = trusting(origins, TlsProvider.best());
    }

    @AfterAll
    static void close() {
        tls.close();
    }

    static ClientTls trusting(TestCertificates origins, TlsProvider provider) throws Exception {
        return new ClientTls(provider, TrustRoots.of(origins.originPem), List.of("h2", "http/1.1"));
    }

    static Client client() {
        return client(limits -> limits);
    }

    static Client client(UnaryOperator<Client.Limits> change) {
        return new Client(Client.profile(change, tls));
    }

    static TestOrigin origin(TestOrigin.Script... scripts) {
        return TestOrigin.h2(origins.origin, scripts);
    }

    static Route route(TestOrigin origin) {
        return Route.chosenByWorkload(Destination.named("origin.test", origin.port(), true), "ci", Client.SOMEBODY);
    }
}
