package dev.sallyport.core.net.tunnel;

import dev.sallyport.core.exchange.ClientHelloFacts;
import dev.sallyport.core.exchange.Exchanges;
import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.exchange.RelayListener;
import dev.sallyport.core.net.connection.ClientConnection;
import dev.sallyport.core.net.request.DestinationResolver;
import dev.sallyport.core.net.request.RefusedException;
import dev.sallyport.core.tls.ClientHello;
import dev.sallyport.core.tls.TlsAlert;
import dev.sallyport.spi.Destination;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import org.jspecify.annotations.Nullable;

/** Passes TLS through, to the host that its ClientHello names. The first bytes are the complete ClientHello. */
public final class TlsPassthroughHandler extends PassthroughHandler {

    private final ClientHello hello;
    private final int port;

    /**
     * @param connection within TLS
     * @param port the destination port, unless the connection implies another
     */
    public TlsPassthroughHandler(ClientConnection connection, ClientHello hello, int port) {
        super(connection, ClientConnection.TLS);
        this.hello = hello;
        this.port = port;
    }

    @Override
    RelayListener judge(Exchanges.Permit permit) {
        ClientHelloFacts facts = new ClientHelloFacts(hello.ech());
        String sni = connection.ingress().sni();
        if (sni == null) {
            Refusal unnamed =
                    new Refusal(400, "no_server_name", "the ClientHello names no server", "http_request_error");
            permit.refuse(this, connection.ingress().tunnel(), facts, unnamed);
            return RelayListener.NONE;
        }
        Destination destination;
        try {
            destination = DestinationResolver.passed(connection.ingress(), sni, port);
        } catch (RefusedException e) {
            permit.refuse(this, e.destination(), facts, e.refusal());
            return RelayListener.NONE;
        }
        return permit.pass(this, destination, facts);
    }

    @Override
    @Nullable RequestWatch watch() {
        return null;
    }

    @Override
    ByteBuf farewell(ChannelHandlerContext ctx, TlsAlert alert) {
        return alert.record(ctx.alloc(), hello.version());
    }
}
