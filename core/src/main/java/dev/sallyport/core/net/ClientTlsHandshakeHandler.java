package dev.sallyport.core.net;

import dev.sallyport.core.exchange.EarlyTermination;
import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.meter.HeapExhaustion;
import dev.sallyport.core.net.connection.ClientConnection;
import dev.sallyport.core.net.connection.CloseNotifyHold;
import dev.sallyport.core.net.connection.ConnectionDrain;
import dev.sallyport.core.net.connection.ConnectionProgress;
import dev.sallyport.core.tls.TlsFailure;
import dev.sallyport.core.tls.TlsHalves;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits for the TLS handshake to finish, then installs the negotiated protocol; within TLS of the proxy's own, what detects
 * the protocol.
 */
final class ClientTlsHandshakeHandler extends ChannelInboundHandlerAdapter {

    private static final Logger LOG = LoggerFactory.getLogger(ClientTlsHandshakeHandler.class);

    private static final Refusal SHUTTING_DOWN =
            new Refusal(503, "shutting_down", "the proxy shuts down", "connection_terminated");

    private final ClientConnection connection;
    private final @Nullable ClientConnection around;
    private final PlaintextAlertDetector clear;

    /**
     * @param around the connection that asks for tunnels within this TLS; null where the client asks for an origin
     * @param clear the handler in front of TLS, removed when the handshake ends
     */
    ClientTlsHandshakeHandler(
            ClientConnection connection, @Nullable ClientConnection around, PlaintextAlertDetector clear) {
        this.connection = connection;
        this.around = around;
        this.clear = clear;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ConnectionDrain) {
            connection.ended(EarlyTermination.refused(SHUTTING_DOWN));
            ctx.close();
        } else if (event instanceof SslHandshakeCompletionEvent completion) {
            if (completion.isSuccess()) {
                if (around == null) {
                    negotiated(ctx, (SslHandler) ctx.pipeline().get(PipelineConfigurator.TLS));
                } else {
                    within(ctx, around);
                }
            } else {
                failed(ctx, completion.cause());
            }
        }
    }

    private void within(ChannelHandlerContext ctx, ClientConnection proxied) {
        connection.settle();
        ctx.pipeline().remove(clear);
        ctx.pipeline().replace(this, PipelineConfigurator.FIRST, new ProtocolSniffingHandler(proxied.withinProxyTls()));
    }

    private void negotiated(ChannelHandlerContext ctx, SslHandler tls) {
        String protocol = tls.applicationProtocol();
        connection.reached(ConnectionProgress.Phase.SECURE);
        ctx.pipeline().remove(clear);
        ClientConnection next = connection.negotiated(protocol);
        boolean half = TlsHalves.VERSION.equals(tls.engine().getSession().getProtocol());
        if (!half || ClientConnection.HTTP_2.equals(protocol)) {
            // Before TLS 1.3 the alert closes both halves; in HTTP/2 it ends the windows, without which nothing flows.
            ctx.pipeline().remove(CloseNotifyHold.class);
        }
        if (ClientConnection.HTTP_2.equals(protocol)) {
            PipelineConfigurator.http2(ctx.pipeline(), this, next);
        } else {
            PipelineConfigurator.http(ctx.pipeline(), this, next);
        }
    }

    private void failed(ChannelHandlerContext ctx, Throwable cause) {
        String reason = TlsFailure.describe(cause);
        LOG.debug("TLS handshake with {} failed: {}", connection.peer(), reason);
        connection.ended(ended(reason, cause, clear.name()));
        ctx.close();
    }

    private static EarlyTermination ended(String reason, Throwable cause, String clear) {
        String told = TlsFailure.alert(cause);
        String alert = told.isEmpty() ? clear : told;
        if (TlsFailure.isDistrust(alert)) {
            return EarlyTermination.distrusted(
                    "the client does not trust the proxy's certificate (alert " + alert + "): see docs/trust.md",
                    alert);
        }
        return TlsFailure.isClosed(cause)
                ? ConnectionProgress.Phase.HANDSHAKE.silence()
                : EarlyTermination.tlsFailed(
                        alert.isEmpty() ? reason : reason + " (the client's alert: " + alert + ")", alert);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        HeapExhaustion.note(cause);
        LOG.debug("connection of {} failed: {}", connection.peer(), TlsFailure.describe(cause));
        ctx.close();
    }
}
