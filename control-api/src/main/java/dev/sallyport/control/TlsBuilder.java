package dev.sallyport.control;

import io.micronaut.context.annotation.Replaces;
import io.micronaut.context.annotation.Requires;
import io.micronaut.http.server.netty.ssl.CertificateProvidedSslBuilder;
import io.micronaut.http.server.netty.ssl.ServerSslBuilder;
import io.micronaut.http.ssl.ServerSslConfiguration;
import io.netty.handler.ssl.SslContext;
import jakarta.inject.Singleton;
import java.util.Optional;

/** Gives Micronaut the certificate of section {@code control}, which it would take from key stores only. */
@Singleton
@Requires(property = "micronaut.server.ssl.enabled", value = "true")
@Replaces(CertificateProvidedSslBuilder.class)
final class TlsBuilder implements ServerSslBuilder {

    private final ServerSslConfiguration configuration;
    private final TlsContext tls;

    TlsBuilder(ServerSslConfiguration configuration, TlsContext tls) {
        this.configuration = configuration;
        this.tls = tls;
    }

    @Override
    public ServerSslConfiguration getSslConfiguration() {
        return configuration;
    }

    @Override
    public Optional<SslContext> build() {
        return Optional.ofNullable(tls.context());
    }
}
