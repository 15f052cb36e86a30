package dev.sallyport.core.net.tunnel;

import dev.sallyport.core.exchange.Exchanges;
import dev.sallyport.core.exchange.OtherTcp;
import dev.sallyport.core.exchange.RelayListener;
import dev.sallyport.core.net.connection.ClientConnection;
import dev.sallyport.core.tls.TlsAlert;
import dev.sallyport.spi.Destination;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import org.jspecify.annotations.Nullable;

/**
 * Passes TCP through in which neither HTTP nor TLS is spoken. Whoever is refused sees the connection close. A client may end
 * its half before its origin is reached, and the origin may have been reached before the client has sent anything.
 */
public final class TcpPassthroughHandler extends PassthroughHandler {

    private final Destination destination;
    private final @Nullable EarlyOrigin early;

    /**
     * @param destination which the client has named before it sent anything
     * @param early its origin, as far as it was reached by then; null when the client has spoken at once
     */
    public TcpPassthroughHandler(ClientConnection connection, Destination destination, @Nullable EarlyOrigin early) {
        super(connection, ClientConnection.TCP);
        this.destination = destination;
        this.early = early;
    }

    /** The origin has spoken, and not the client: begins at once. */
    public void greeted() {
        if (early != null) {
            early.handOver(this);
        }
    }

    @Override
    void start(ChannelHandlerContext ctx) {
        if (early == null || !early.handOver(this)) {
            super.start(ctx);
        }
    }

    @Override
    RelayListener judge(Exchanges.Permit permit) {
        return permit.pass(this, destination, OtherTcp.INSTANCE);
    }

    @Override
    RequestWatch watch() {
        return new RequestWatch();
    }

    @Override
    @Nullable ByteBuf farewell(ChannelHandlerContext ctx, TlsAlert alert) {
        return null;
    }
}
