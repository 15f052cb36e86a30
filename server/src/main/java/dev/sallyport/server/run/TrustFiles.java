package dev.sallyport.server.run;

import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.core.tls.TlsMaterialException;
import dev.sallyport.core.tls.TrustRoots;
import dev.sallyport.core.tls.TrustStores;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The files by which the program trusts the proxy. Nothing secret is in them.
 *
 * @param authority the proxy's certificate alone, PEM
 * @param bundle the system's roots and the certificate, PEM
 * @param java the same as a trust store, with {@link TrustStores#PASSWORD}
 * @param apt settings for APT, which knows no variable
 */
record TrustFiles(Path authority, Path bundle, Path java, Path apt) {

    private static final Pattern CERTIFICATE =
            Pattern.compile("-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\\s]+)-----END CERTIFICATE-----");

    /** Where they are in the folder of a run. */
    static TrustFiles in(Path folder) {
        return new TrustFiles(
                folder.resolve("ca.pem"),
                folder.resolve("bundle.pem"),
                folder.resolve("java.jks"),
                folder.resolve("apt.conf"));
    }

    /**
     * Writes them. Blocks.
     *
     * @param environment of this process, which may name the system's roots
     */
    static TrustFiles write(RunFolder folder, CertificateAuthority authority, Map<String, String> environment)
            throws IOException {
        String own = authority.certificatePem();
        String roots = roots(environment);
        String all = roots + (roots.isEmpty() || roots.endsWith("\n") ? "" : "\n") + own;
        TrustFiles files = in(folder.path());
        folder.write(name(files.authority), own);
        folder.write(name(files.bundle), all);
        folder.write(name(files.java), JavaTrustStore.of(certificates(all), TrustStores.PASSWORD));
        folder.write(name(files.apt), "Acquire::https::CAInfo \"" + files.bundle + "\";\n");
        return files;
    }

    private static String name(Path file) {
        return file.getFileName().toString();
    }

    /** The system's roots in PEM; empty when there are none. */
    private static String roots(Map<String, String> environment) throws IOException {
        Path file = rootsFile(environment);
        if (file != null) {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        }
        StringBuilder roots = new StringBuilder();
        try {
            for (X509Certificate certificate : TrustRoots.system().certificates()) {
                roots.append("-----BEGIN CERTIFICATE-----\n")
                        .append(Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(certificate.getEncoded()))
                        .append("\n-----END CERTIFICATE-----\n");
            }
        } catch (TlsMaterialException | CertificateEncodingException e) {
            throw new IOException("the system's roots: " + e.getMessage(), e);
        }
        return roots.toString();
    }

    private static @Nullable Path rootsFile(Map<String, String> environment) {
        List<Path> candidates = new ArrayList<>();
        String named = environment.getOrDefault("SSL_CERT_FILE", "");
        if (!named.isEmpty()) {
            candidates.add(Path.of(named));
        }
        candidates.addAll(TrustRoots.bundles());
        return candidates.stream().filter(Files::isReadable).findFirst().orElse(null);
    }

    private static List<byte[]> certificates(String pem) {
        List<byte[]> certificates = new ArrayList<>();
        Matcher matcher = CERTIFICATE.matcher(pem);
        while (matcher.find()) {
            certificates.add(Base64.getMimeDecoder().decode(matcher.group(1)));
        }
        return certificates;
    }
}
