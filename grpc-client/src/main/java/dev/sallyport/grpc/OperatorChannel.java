package dev.sallyport.grpc;

import dev.sallyport.spi.Connector;
import io.grpc.CallOptions;
import io.grpc.ChannelCredentials;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.okhttp.OkHttpChannelBuilder;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * A channel to a server that the operator configured. Its one connection is made as the engine makes its own: names are
 * found by the proxy's resolver, and a parent proxy is gone through where there is one. When another way leads to the
 * server, calls get a new connection; those in progress end on the old one, which is closed within seconds. The first call
 * opens the channel. Thread-safe.
 */
public final class OperatorChannel implements AutoCloseable {

    private final ServerAddress server;
    private final Connector connector;
    private final ManagedChannel channel;
    private final AtomicReference<Connector.Route> route;

    /**
     * A channel.
     *
     * @param executor runs what blocks, connecting included
     * @param more sets what else the channel needs
     */
    @SuppressWarnings("deprecation") // a registry of its own is what a channel can be given in no other way
    public OperatorChannel(
            ServerAddress server,
            ChannelCredentials credentials,
            Connector connector,
            Executor executor,
            Consumer<OkHttpChannelBuilder> more) {
        this.server = server;
        this.connector = connector;
        this.route = new AtomicReference<>(present());
        OkHttpChannelBuilder builder = OkHttpChannelBuilder.forTarget(StandInNames.ANY, credentials)
                .nameResolverFactory(new StandInNames(server))
                .socketFactory(new ConnectorSockets(server, connector))
                .proxyDetector(address -> null)
                .disableServiceConfigLookUp()
                .userAgent("sallyport")
                .executor(executor);
        more.accept(builder);
        this.channel = builder.build();
    }

    private Connector.Route present() {
        return connector.route(server.host(), server.port(), server.secure());
    }

    /** A call that has not been started, on the way that leads to the server now. */
    public <Q, A> ClientCall<Q, A> newCall(MethodDescriptor<Q, A> method, CallOptions options) {
        follow();
        return channel.newCall(method, options);
    }

    /**
     * Gives up the connection if another way leads to the server now. Calls do so by themselves; whoever keeps a channel
     * that may be idle for long has it done in between.
     */
    public void follow() {
        Connector.Route now = present();
        if (!route.getAndSet(now).equals(now)) {
            channel.enterIdle();
        }
    }

    /** The channel itself, for its state. */
    public ManagedChannel channel() {
        return channel;
    }

    /** Ends calls in progress, and closes the connection. */
    @Override
    public void close() {
        channel.shutdownNow();
    }
}
