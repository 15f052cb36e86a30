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
 * its half before its origin is reached.
 */
public final class TcpPassthroughHandler extends PassthroughHandler {

    private final Destination destination;

    /** @param destination which the client has named before it sent anything */
    public TcpPassthroughHandler(ClientConnection connection, Destination destination) {
        super(connection, ClientConnection.TCP);
        this.destination = destination;
    }

    @Override
    RelayListener judge(Exchanges.Permit permit) {
        return permit.pass(this, destination, OtherTcp.INSTANCE);
    }

    @Override
    @Nullable ByteBuf farewell(ChannelHandlerContext ctx, TlsAlert alert) {
        return null;
    }
}
