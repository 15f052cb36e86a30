package dev.sallyport.core;

import dev.sallyport.core.config.TlsSection;
import dev.sallyport.core.dns.DnsServer;
import dev.sallyport.spi.ListenerKind;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The view of an engine that its companions get. */
final class EngineProxyInfo implements ProxyInfo {

    private final Engine engine;
    private final Supplier<ReloadResult> reload;

    /** @param reload reloads the configuration, one call at a time */
    EngineProxyInfo(Engine engine, Supplier<ReloadResult> reload) {
        this.engine = engine;
        this.reload = reload;
    }

    @Override
    public @Nullable InetSocketAddress address(ListenerKind kind) {
        return engine.sockets().address(kind);
    }

    @Override
    public @Nullable InetSocketAddress dnsAddress() {
        DnsServer dns = engine.sockets().dns();
        return dns == null ? null : dns.address();
    }

    @Override
    public @Nullable Path authority() {
        TlsSection tls = engine.inForce().config().tls();
        return tls.mode() == TlsSection.Mode.MITM ? tls.caCert() : null;
    }

    @Override
    public int generation() {
        return engine.generation();
    }

    @Override
    public boolean ready() {
        return engine.ready();
    }

    @Override
    public ReloadResult reload() {
        return reload.get();
    }
}
