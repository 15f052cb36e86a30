package dev.sallyport.server.run;

import dev.sallyport.core.tls.CertificateAuthority;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * An authority for one run. Its key stays in memory: the proxy reads it through a pipe. Where there are none with a name,
 * it stands in a file until {@link #close}, which comes before the program starts.
 *
 * @param certificate the path of the certificate
 * @param key the path from which the key can be read, once
 */
record EphemeralAuthority(CertificateAuthority authority, Path certificate, Path key, AutoCloseable end)
        implements AutoCloseable {

    private static final Duration LIFE = Duration.ofDays(7);
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    /** Makes one; its certificate is written into the folder. */
    static EphemeralAuthority create(Path folder) throws IOException {
        CertificateAuthority authority = CertificateAuthority.generate("Sallyport run", LIFE);
        Path certificate = folder.resolve("authority.pem");
        Files.writeString(certificate, authority.certificatePem());
        byte[] pem = authority.keyPem().getBytes(StandardCharsets.US_ASCII);
        if (Epoll.isAvailable() && Files.isDirectory(DESCRIPTORS)) {
            FileDescriptor[] pipe = FileDescriptor.pipe();
            ByteBuffer bytes = ByteBuffer.allocateDirect(pem.length).put(pem).flip();
            pipe[1].write(bytes, 0, pem.length);
            pipe[1].close();
            Path key = DESCRIPTORS.resolve(Integer.toString(pipe[0].intValue()));
            return new EphemeralAuthority(authority, certificate, key, pipe[0]::close);
        }
        Path key = folder.resolve("authority.key");
        authority.write(certificate, key);
        return new EphemeralAuthority(authority, certificate, key, () -> Files.deleteIfExists(key));
    }

    @Override
    public void close() throws IOException {
        try {
            end.close();
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException(e);
        }
    }
}
