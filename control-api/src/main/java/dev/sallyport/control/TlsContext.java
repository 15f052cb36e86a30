package dev.sallyport.control;

import dev.sallyport.spi.ConfigException;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The certificate of the listener.
 *
 * @param context null without TLS
 */
record TlsContext(@Nullable SslContext context) {

    static TlsContext of(ControlConfig.@Nullable Tls config) throws ConfigException {
        if (config == null) {
            return new TlsContext(null);
        }
        try {
            return new TlsContext(SslContextBuilder.forServer(
                            config.cert().toFile(), config.key().toFile())
                    .protocols("TLSv1.3", "TLSv1.2")
                    .build());
        } catch (SSLException | IllegalArgumentException e) {
            throw new ConfigException(
                            "/tls", "certificate and key cannot be used", "a certificate chain and its key, in PEM")
                    .causedBy(e);
        }
    }
}
