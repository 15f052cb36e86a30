package dev.sallyport.transforms.grpc;

import dev.sallyport.spi.ConfigException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A file of PEM blocks (RFC 7468) that the configuration names. No message contains its text. */
final class PemFile {

    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\\s]*)-----END \\1-----");
    private static final String CERTIFICATES = "a PEM file with certificates";

    /** The content between two dashed lines. */
    record Block(String label, byte[] der) {}

    private final String pointer;
    private final Path path;
    private final List<Block> blocks;

    private PemFile(String pointer, Path path, List<Block> blocks) {
        this.pointer = pointer;
        this.path = path;
        this.blocks = blocks;
    }

    static PemFile read(String pointer, Path path) throws ConfigException {
        List<Block> blocks = new ArrayList<>();
        Matcher found = BLOCK.matcher(text(pointer, path));
        while (found.find()) {
            try {
                blocks.add(new Block(found.group(1), Base64.getMimeDecoder().decode(found.group(2))));
            } catch (IllegalArgumentException e) {
                throw new ConfigException(pointer, path + ": a block is not base64", "a PEM file").causedBy(e);
            }
        }
        return new PemFile(pointer, path, blocks);
    }

    private static String text(String pointer, Path path) throws ConfigException {
        try {
            return Files.readString(path, StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException e) {
            throw new ConfigException(pointer, path + ": no such file", "a PEM file").causedBy(e);
        } catch (IOException e) {
            throw new ConfigException(
                            pointer,
                            path + ": cannot be read (" + e.getClass().getSimpleName() + ")",
                            "a PEM file that the proxy may read")
                    .causedBy(e);
        }
    }

    /** All certificates in the file; at least one. */
    List<X509Certificate> certificates() throws ConfigException {
        List<X509Certificate> certificates = new ArrayList<>();
        for (Block block : blocks) {
            if (block.label().equals("CERTIFICATE")) {
                certificates.add(certificate(block.der()));
            }
        }
        if (certificates.isEmpty()) {
            throw problem(blocks.isEmpty() ? "not PEM" : "it has no certificate", CERTIFICATES);
        }
        return certificates;
    }

    private X509Certificate certificate(byte[] der) throws ConfigException {
        try {
            return (X509Certificate)
                    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(der));
        } catch (CertificateException e) {
            throw problem("a certificate cannot be read", CERTIFICATES).causedBy(e);
        }
    }

    /** The one private key in the file. */
    PrivateKey privateKey() throws ConfigException {
        String expected = "a PEM file with one private key (PKCS#8, PKCS#1 or SEC1)";
        List<Block> keys = blocks.stream()
                .filter(block -> block.label().endsWith("PRIVATE KEY"))
                .toList();
        if (keys.size() != 1) {
            throw problem(
                    blocks.isEmpty()
                            ? "not PEM"
                            : keys.isEmpty() ? "it has no private key" : "it has several private keys",
                    expected);
        }
        Block key = keys.getFirst();
        // Old OpenSSL files put header lines into a block only when it is encrypted; the pattern does not match those.
        if (key.label().startsWith("ENCRYPTED")) {
            throw problem("the private key is encrypted", "a key without a passphrase");
        }
        PrivateKey read = PrivateKeys.read(key.label(), key.der());
        if (read == null) {
            throw problem("the private key cannot be read", expected);
        }
        return read;
    }

    private ConfigException problem(String problem, String expected) {
        return new ConfigException(pointer, path + ": " + problem, expected);
    }

    @Override
    public String toString() {
        return "PemFile[" + path + "]";
    }
}
