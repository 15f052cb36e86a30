package dev.sallyport.core.tls;

import dev.sallyport.testsupport.TestCertificates;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.ReferenceCountedOpenSslEngine;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.internal.tcnative.SSL;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import javax.net.ssl.SNIMatcher;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.StandardConstants;
import org.jspecify.annotations.Nullable;

/** The server name of a ClientHello as the TLS libraries read it that may terminate it. */
final class ServerNames {

    private final SSLContext jdk;
    private final @Nullable SslContext boringSsl;
    private final ByteBuffer plain = ByteBuffer.allocate(32 * 1024);

    ServerNames(Path folder) throws Exception {
        TestCertificates certificates = new TestCertificates(folder);
        jdk = certificates.origin;
        boringSsl = OpenSsl.isAvailable()
                ? SslContextBuilder.forServer(certificates.originKeys)
                        .sslProvider(SslProvider.OPENSSL_REFCNT)
                        .build()
                : null;
    }

    /** What the JDK asks its matcher about; null when it does not come that far. */
    @Nullable String ofJdk(byte[] hello) {
        SSLEngine engine = jdk.createSSLEngine();
        engine.setUseClientMode(false);
        Listening matcher = new Listening();
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setSNIMatchers(List.of(matcher));
        engine.setSSLParameters(parameters);
        try {
            unwrap(engine, hello);
        } catch (SSLException | RuntimeException e) {
            // It has seen the name before, or it does not take the hello at all.
        }
        return matcher.name;
    }

    /** What BoringSSL goes on with; null when it does not go on. */
    @Nullable String ofBoringSsl(byte[] hello) {
        SslContext context = boringSsl;
        if (context == null) {
            return null;
        }
        ReferenceCountedOpenSslEngine engine =
                (ReferenceCountedOpenSslEngine) context.newEngine(UnpooledByteBufAllocator.DEFAULT);
        try {
            unwrap(engine, hello);
            return SSL.getSniHostname(engine.sslPointer());
        } catch (SSLException e) {
            return null;
        } finally {
            engine.release();
        }
    }

    private void unwrap(SSLEngine engine, byte[] hello) throws SSLException {
        ByteBuffer in = ByteBuffer.wrap(hello);
        int before = -1;
        while (in.hasRemaining() && in.position() != before) {
            before = in.position();
            plain.clear();
            HandshakeStatus status = engine.unwrap(in, plain).getHandshakeStatus();
            if (status == HandshakeStatus.NEED_TASK) {
                for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
                    task.run();
                }
                status = engine.getHandshakeStatus();
            }
            if (status == HandshakeStatus.NEED_WRAP) {
                return;
            }
        }
    }

    /** Turns every name down, so that nothing expensive follows. */
    private static final class Listening extends SNIMatcher {

        private @Nullable String name;

        Listening() {
            super(StandardConstants.SNI_HOST_NAME);
        }

        @Override
        public boolean matches(SNIServerName shown) {
            name = new String(shown.getEncoded(), StandardCharsets.ISO_8859_1);
            return false;
        }
    }
}
