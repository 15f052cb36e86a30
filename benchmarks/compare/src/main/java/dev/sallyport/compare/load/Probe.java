package dev.sallyport.compare.load;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/** One request, to learn whether a way works and who is at its end. */
public final class Probe {

    private Probe() {}

    /**
     * What one request showed.
     *
     * @param millis from the dialling to the end of the response
     * @param issuer who issued the certificate that was shown; empty without TLS
     * @param tls version, cipher suite and key of the certificate; empty without TLS
     */
    public record Finding(double millis, String issuer, String tls) {}

    /** @throws IOException if there was no complete 200 in time; says why */
    public static Finding once(Dialler dialler, Route route, Duration patience)
            throws IOException, InterruptedException {
        long began = System.nanoTime();
        try {
            Channel channel = dialler.dial(route, List.of()).get(patience.toMillis(), TimeUnit.MILLISECONDS);
            try {
                var answered = channel.eventLoop().<Long>newPromise();
                HttpClient client = new HttpClient(new HttpClient.Listener() {
                    @Override
                    public void done(HttpClient done) {
                        answered.trySuccess(System.nanoTime());
                    }

                    @Override
                    public void lost(HttpClient lost, @Nullable Throwable failure) {
                        answered.tryFailure(failure == null ? new IOException("closed") : failure);
                    }
                });
                byte[] request = route.get("/bytes/64").getBytes(StandardCharsets.US_ASCII);
                channel.eventLoop().execute(() -> {
                    channel.pipeline().addLast(client);
                    client.send(Unpooled.wrappedBuffer(request), began);
                });
                long ended = answered.get(patience.toMillis(), TimeUnit.MILLISECONDS);
                return finding((ended - began) / 1e6, channel.pipeline().get(SslHandler.class));
            } finally {
                channel.close();
            }
        } catch (ExecutionException e) {
            throw new IOException(String.valueOf(e.getCause()), e.getCause());
        } catch (TimeoutException e) {
            throw new IOException("no answer within " + patience.toSeconds() + " s", e);
        }
    }

    private static Finding finding(double millis, @Nullable SslHandler handler) throws SSLPeerUnverifiedException {
        if (handler == null) {
            return new Finding(millis, "", "");
        }
        SSLSession session = handler.engine().getSession();
        X509Certificate leaf = (X509Certificate) session.getPeerCertificates()[0];
        String key = switch (leaf.getPublicKey()) {
            case RSAPublicKey rsa -> "RSA " + rsa.getModulus().bitLength();
            case ECPublicKey ec -> "EC " + ec.getParams().getOrder().bitLength();
            default -> leaf.getPublicKey().getAlgorithm();
        };
        return new Finding(
                millis,
                leaf.getIssuerX500Principal().getName(),
                session.getProtocol() + " " + session.getCipherSuite() + ", leaf " + key);
    }
}
