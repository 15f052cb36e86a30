package dev.sallyport.core;

import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.Location;
import dev.sallyport.core.config.Locations;
import dev.sallyport.core.config.TlsSection;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.core.tls.ClientIdentity;
import dev.sallyport.core.tls.TlsMaterialException;
import dev.sallyport.core.tls.TrustRoots;
import dev.sallyport.core.tls.TrustRootsReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The content of the files that section {@code tls} names, read and checked.
 *
 * @param authority null when a part of it cannot be used, and in mode {@code sni-only}
 * @param roots the trust anchors for upstream certificates; null when some cannot be used
 * @param own those of the roots that {@code tls.upstream_ca} names; null for none, and when some cannot be used
 */
record TlsFiles(
        @Nullable CertificateAuthority authority,
        @Nullable TrustRoots roots,
        @Nullable TrustRoots own) {

    /** Nothing read. */
    static final TlsFiles NONE = new TlsFiles(null, null, null);

    private static final String CA_CERT = "/tls/ca_cert";
    private static final String CA_KEY = "/tls/ca_key";
    private static final String UPSTREAM_CA = "/tls/upstream_ca";
    private static final String CLIENT_CERTIFICATES = "/tls/client_certificates/";

    /**
     * Reads the named files; reports each fault where the path is configured. Blocks. The roots, a hundred or more, are
     * read at the same time as the authority: together they take a quarter of the start.
     *
     * @param trust reads roots, and knows those that have not changed
     */
    static TlsFiles read(TlsSection tls, Locations places, TrustRootsReader trust, Consumer<ConfigProblem> problems) {
        List<ConfigProblem> ofRoots = new ArrayList<>();
        CompletableFuture<Roots> roots = CompletableFuture.supplyAsync(() -> roots(tls, places, trust, ofRoots::add));
        CertificateAuthority authority = null;
        if (tls.mode() == TlsSection.Mode.MITM && places.isSound("/tls/mode")) {
            authority = CertificateAuthority.read(
                    tls.caCert(),
                    tls.caKey(),
                    fault -> problems.accept(problem(places.of(CA_CERT), CA_CERT, fault)),
                    fault -> problems.accept(problem(places.of(CA_KEY), CA_KEY, fault)));
        }
        for (int i = 0; i < tls.clientCertificates().size(); i++) {
            String pointer = CLIENT_CERTIFICATES + i + "/cert";
            try {
                if (places.isSound(pointer)) {
                    ClientIdentity.certificates(tls.clientCertificates().get(i).cert());
                }
            } catch (TlsMaterialException e) {
                problems.accept(problem(places.of(pointer), pointer, e));
            }
        }
        Roots read = roots.join();
        ofRoots.forEach(problems);
        return new TlsFiles(authority, read.all(), read.own());
    }

    private record Roots(@Nullable TrustRoots all, @Nullable TrustRoots own) {}

    private static Roots roots(
            TlsSection tls, Locations places, TrustRootsReader trust, Consumer<ConfigProblem> problems) {
        TrustRoots roots = null;
        try {
            roots = trust.system();
        } catch (TlsMaterialException e) {
            problems.accept(problem(systemRoots(), "", e));
        }
        Path own = tls.upstreamCa();
        trust.retain(own);
        if (own == null) {
            return new Roots(roots, null);
        }
        try {
            TrustRoots more = trust.of(own);
            return new Roots(roots == null ? null : roots.plus(more), more);
        } catch (TlsMaterialException e) {
            problems.accept(problem(places.of(UPSTREAM_CA), UPSTREAM_CA, e));
            return new Roots(null, null);
        }
    }

    private static Location systemRoots() {
        return new Location(
                System.getenv("SSL_CERT_FILE") == null ? "system roots" : "environment:SSL_CERT_FILE", 0, 0);
    }

    private static ConfigProblem problem(Location at, String pointer, TlsMaterialException fault) {
        return new ConfigProblem(at, pointer, fault.file() + ": " + fault.problem(), fault.expected());
    }
}
