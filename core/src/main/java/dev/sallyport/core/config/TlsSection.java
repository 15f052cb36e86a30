package dev.sallyport.core.config;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.Problems;
import dev.sallyport.toolkit.match.HostGlobs;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Section {@code tls}.
 *
 * @param caCert not null in mode {@code mitm}
 * @param caKey not null in mode {@code mitm}
 */
public record TlsSection(
        @JsonProperty(defaultValue = "mitm")
        @JsonPropertyDescription(
                "mitm: TLS is terminated and inspected. sni-only: it is passed through, and policy sees only hosts.")
        Mode mode,

        @JsonPropertyDescription("Path of the CA certificate, PEM. Required in mode mitm.") @Nullable Path caCert,

        @JsonPropertyDescription("Path of the CA's private key, PEM. Required in mode mitm.") @Nullable Path caKey,

        @JsonProperty(defaultValue = "1000")
        @Range(min = "1")
        @JsonPropertyDescription("How many generated leaf certificates are kept, least recently used first out.")
        int certCacheSize,

        @JsonProperty(defaultValue = "72")
        @Range(min = "1")
        @JsonPropertyDescription("Validity of generated leaf certificates in hours.")
        int leafCertExpiryHours,

        @JsonProperty(defaultValue = "5m")
        @Range(max = "720h")
        @JsonPropertyDescription(
                "How long before it is made a generated leaf certificate begins, for clients whose clock is behind, such as guests that were resumed. Never before the CA certificate does.")
        Duration leafBackdate,

        @JsonProperty(defaultValue = "true")
        @JsonPropertyDescription(
                "Whether generated leaf certificates name a list of revoked ones, which the proxy serves and which is empty: for clients that insist on one, such as those of Windows.")
        boolean crl,

        @JsonPropertyDescription("Path of further roots for upstream certificates, PEM, in addition to the system's.")
        @Nullable Path upstreamCa,

        @JsonPropertyDescription(
                "Certificates for origins that ask for one, whose keys workloads do not hold; the first whose rules match is shown.")
        List<ClientCertificate> clientCertificates,

        @JsonPropertyDescription(
                "Host globs whose TLS is passed through in mode mitm, for clients that pin certificates; policy sees only their hosts.")
        List<String> passthrough)
        implements SelfValidating {

    private static final int CERT_CACHE_SIZE = 1000;
    private static final int LEAF_CERT_EXPIRY_HOURS = 72;
    private static final Duration LEAF_BACKDATE = Duration.ofMinutes(5);

    public TlsSection {
        clientCertificates = List.copyOf(clientCertificates);
        passthrough = List.copyOf(passthrough);
    }

    /** How TLS is handled. */
    public enum Mode {
        /** Terminated, inspected and encrypted again. */
        @JsonProperty("mitm")
        MITM,
        /** Passed through by the server name that the client asks for. */
        @JsonProperty("sni-only")
        SNI_ONLY
    }

    @Override
    public void warn(Problems warnings) {
        if (mode == Mode.SNI_ONLY) {
            unused(warnings, "/ca_cert", caCert != null);
            unused(warnings, "/ca_key", caKey != null);
            unused(warnings, "/cert_cache_size", certCacheSize != CERT_CACHE_SIZE);
            unused(warnings, "/leaf_cert_expiry_hours", leafCertExpiryHours != LEAF_CERT_EXPIRY_HOURS);
            unused(warnings, "/leaf_backdate", !leafBackdate.equals(LEAF_BACKDATE));
            unused(warnings, "/crl", !crl);
            unused(warnings, "/client_certificates", !clientCertificates.isEmpty());
            unused(warnings, "/passthrough", !passthrough.isEmpty());
        }
    }

    private static void unused(Problems warnings, String pointer, boolean set) {
        if (set) {
            warnings.add(pointer, "not used in mode sni-only", "");
        }
    }

    @Override
    public void check(Problems problems) {
        HostGlobs.compile(passthrough, problems, "/passthrough");
        if (mode == Mode.MITM && caCert == null) {
            problems.add(
                    "/ca_cert", "missing field \"ca_cert\"", "the path of a PEM CA certificate, or mode: sni-only");
        }
        if (mode == Mode.MITM && caKey == null) {
            problems.add("/ca_key", "missing field \"ca_key\"", "the path of a PEM CA private key, or mode: sni-only");
        }
    }
}
