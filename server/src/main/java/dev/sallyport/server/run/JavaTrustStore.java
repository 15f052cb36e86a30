package dev.sallyport.server.run;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;

/**
 * A trust store in Java's older format, JKS, written without looking into the certificates: to parse some 150 of them would
 * take a tenth of the time until the program starts.
 */
final class JavaTrustStore {

    private static final int MAGIC = 0xfeedfeed;
    private static final int VERSION = 2;
    private static final int TRUSTED_CERTIFICATE = 2;
    private static final String WHITENER = "Mighty Aphrodite"; // part of the format

    private JavaTrustStore() {}

    /**
     * Writes one.
     *
     * @param certificates each in DER
     * @param password from which its checksum is made
     */
    static byte[] of(List<byte[]> certificates, String password) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeInt(MAGIC);
            out.writeInt(VERSION);
            out.writeInt(certificates.size());
            long now = System.currentTimeMillis();
            for (int i = 0; i < certificates.size(); i++) {
                out.writeInt(TRUSTED_CERTIFICATE);
                out.writeUTF("root-" + i);
                out.writeLong(now);
                out.writeUTF("X.509");
                out.writeInt(certificates.get(i).length);
                out.write(certificates.get(i));
            }
            MessageDigest checksum = MessageDigest.getInstance("SHA-1");
            checksum.update(password.getBytes(StandardCharsets.UTF_16BE));
            checksum.update(WHITENER.getBytes(StandardCharsets.UTF_8));
            out.write(checksum.digest(bytes.toByteArray()));
        } catch (IOException | NoSuchAlgorithmException e) {
            throw new IllegalStateException("a trust store in memory cannot be written", e);
        }
        return bytes.toByteArray();
    }
}
