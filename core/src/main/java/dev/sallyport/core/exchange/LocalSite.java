package dev.sallyport.core.exchange;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.core.tls.RevocationList;
import dev.sallyport.core.tls.TrustStores;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.ListenerKind;
import dev.sallyport.toolkit.headers.ReasonPhrases;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The site that the proxy serves under {@code sallyport.internal}: its authority in the formats that clients read, and
 * the script that sets clients up. Public facts only; answered before policy. Thread-safe.
 */
public final class LocalSite {

    /** The site's name, which is never resolved or dialled. */
    public static final String HOST = "sallyport.internal";

    /** The responder named in the audit record. */
    public static final String NAME = "sallyport";

    private static final Refusal METHOD = new Refusal(
            405, "method_not_allowed", "Only GET and HEAD are served under this name.", "http_request_denied");
    private static final Refusal UNKNOWN = new Refusal(
            404, "not_found", "There is no such page; http://sallyport.internal/ lists them.", "http_request_denied");
    private static final Refusal NO_AUTHORITY = new Refusal(
            404,
            "no_authority",
            "This proxy does not terminate TLS (mode sni-only): there is no authority to trust.",
            "http_request_denied");

    /** The refusal for TLS passthrough: only the proxy itself serves this name. */
    static final Refusal PASSED = new Refusal(
            403,
            "local_site",
            "TLS to sallyport.internal cannot be passed through, because nobody else serves it; use http.",
            "http_request_denied");

    private static final String TEXT = "text/plain; charset=utf-8";
    private static final String SCRIPT = "text/x-shellscript; charset=utf-8";
    private static final String INDEX = """
            Sallyport, the egress proxy of this network.

            /ca.pem   its certificate authority in PEM
            /ca.der   the same in DER
            /ca.p12   the same as a trust store for Java, PKCS #12, password "changeit"
            /ca.jks   the same in Java's older format
            /ca.crl   its list of revoked certificates, which is empty
            /env.sh   sets up curl, Python, Node, Java, Go, git, cargo and others in a POSIX shell:

                eval "$(curl -fsS @OPTION@http://sallyport.internal/env.sh)"
            """;

    /** A page, which the first request renders. Thread-safe. */
    private static final class Page {

        private final String type;
        private final Supplier<byte[]> writer;
        private byte @Nullable [] content;

        /** @param type its Content-Type */
        Page(String type, Supplier<byte[]> writer) {
            this.type = type;
            this.writer = writer;
        }

        Page(String type, byte[] content) {
            this(type, () -> content);
        }

        synchronized byte[] content() {
            byte[] written = content;
            if (written == null) {
                written = writer.get();
                content = written;
            }
            return written;
        }
    }

    private final Map<String, Page> files = new TreeMap<>();
    private final boolean hasAuthority;
    private final EnvironmentScript script;

    /**
     * Makes the site; the trust stores, which take a while, are written in the background.
     *
     * @param authority the authority that clients must trust, or null in mode sni-only
     * @param meanwhile runs background work
     */
    public LocalSite(@Nullable CertificateAuthority authority, Executor meanwhile) {
        hasAuthority = authority != null;
        script = new EnvironmentScript(authority == null ? "" : authority.certificatePem());
        if (authority != null) {
            X509Certificate certificate = authority.certificate();
            files.put("/ca.pem", new Page("application/x-pem-file", utf8(authority.certificatePem())));
            files.put("/ca.der", new Page("application/pkix-cert", der(certificate)));
            files.put("/ca.p12", written(meanwhile, "application/x-pkcs12", () -> TrustStores.pkcs12(certificate)));
            if (RevocationList.mayBeSignedBy(authority)) {
                files.put("/ca.crl", written(meanwhile, "application/pkix-crl", () -> RevocationList.sign(authority)));
            }
            files.put("/ca.jks", written(meanwhile, "application/x-java-keystore", () -> TrustStores.jks(certificate)));
        }
    }

    private static Page written(Executor meanwhile, String type, Supplier<byte[]> writer) {
        Page page = new Page(type, writer);
        meanwhile.execute(page::content);
        return page;
    }

    /** Whether a request is for this site, on whatever port. */
    static boolean serves(Destination destination) {
        return destination.host().equals(HOST);
    }

    /** A complete response, with a code if it is a refusal, otherwise empty. */
    record Served(LocalResponses.LocalResponse answer, String refusal) {}

    Served serve(String exchangeId, ConnectionInfo connection, RequestMessage head) {
        if (!head.method().equals("GET") && !head.method().equals("HEAD")) {
            Served refused = refused(exchangeId, head, METHOD);
            refused.answer.head().headers().append("Allow", "GET, HEAD");
            return refused;
        }
        Page page = page(head.path(), connection);
        if (page != null) {
            return new Served(answer(page, head), "");
        }
        boolean wantsAuthority = !hasAuthority && head.path().startsWith("/ca.");
        return refused(exchangeId, head, wantsAuthority ? NO_AUTHORITY : UNKNOWN);
    }

    /**
     * What a request would be answered with.
     *
     * @param refusal the code of a refusal; otherwise empty
     */
    public record Outline(int status, String refusal) {}

    /** As a request would be answered, without the answer. */
    public Outline outline(String exchangeId, ConnectionInfo connection, RequestMessage head) {
        Served served = serve(exchangeId, connection, head);
        return new Outline(served.answer().head().status(), served.refusal());
    }

    private @Nullable Page page(String path, ConnectionInfo connection) {
        return switch (path) {
            case "/" -> new Page(TEXT, utf8(INDEX.replace("@OPTION@", option(connection))));
            case "/env.sh" -> new Page(SCRIPT, utf8(script.forClient(connection)));
            default -> files.get(path);
        };
    }

    private static String option(ConnectionInfo connection) {
        boolean steered = connection.listener() != ListenerKind.TUNNEL;
        return steered ? "" : "-x http://" + EnvironmentScript.authority(connection.local()) + " ";
    }

    private static Served refused(String exchangeId, RequestMessage head, Refusal refusal) {
        return new Served(
                LocalResponses.problem(
                        exchangeId, head, refusal, LocalResponses.DecidedBy.ENGINE, ProblemForm.DOCUMENT),
                refusal.code());
    }

    private static LocalResponses.LocalResponse answer(Page page, RequestMessage head) {
        byte[] content = page.content();
        String tag = '"' + HexFormat.of().formatHex(digest(content), 0, 16) + '"';
        boolean known = tag.equals(head.headers().first("If-None-Match"));
        int status = known ? 304 : 200;
        HeaderBlock headers = new HeaderBlock(6);
        if (!known) {
            headers.append("Content-Type", page.type);
            headers.append("Content-Length", Integer.toString(content.length));
        }
        headers.append("ETag", tag);
        headers.append("Cache-Control", "no-cache");
        headers.append("Date", LocalResponses.date(Instant.now()));
        byte[] body = known ? new byte[0] : content;
        return new LocalResponses.LocalResponse(
                new ResponseMessage(status, ReasonPhrases.of(status), headers, body.length), body);
    }

    private static byte[] digest(byte[] content) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(content);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static byte[] der(X509Certificate certificate) {
        try {
            return certificate.getEncoded();
        } catch (CertificateEncodingException e) {
            throw new IllegalStateException("a parsed certificate has no encoding", e);
        }
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
