package dev.sallyport.core.net;

import dev.sallyport.core.exchange.Ended;
import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.meter.Exhaustion;
import dev.sallyport.core.tls.TlsFailure;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Waits for the end of the TLS handshake, then makes way for the protocol that was negotiated. */
final class HandshakeHandler extends ChannelInboundHandlerAdapter {

    private static final Logger LOG = LoggerFactory.getLogger(HandshakeHandler.class);

    private static final Refusal SHUTTING_DOWN =
            new Refusal(503, "shutting_down", "the proxy shuts down", "connection_terminated");

    private final Entry entry;
    private final ClearAlert clear;

    /** @param clear stands before TLS, until this has ended */
    HandshakeHandler(Entry entry, ClearAlert clear) {
        this.entry = entry;
        this.clear = clear;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof Connections.Drain) {
            entry.ended(Ended.refused(SHUTTING_DOWN));
            ctx.close();
        } else if (event instanceof SslHandshakeCompletionEvent completion) {
            if (completion.isSuccess()) {
                SslHandler tls = ctx.pipeline().get(SslHandler.class);
                negotiated(ctx, tls.applicationProtocol());
            } else {
                failed(ctx, completion.cause());
            }
        }
    }

    private void negotiated(ChannelHandlerContext ctx, @Nullable String protocol) {
        entry.reached(Beginning.Stage.SECURE);
        ctx.pipeline().remove(clear);
        Entry next = entry.negotiated(protocol);
        if (Entry.HTTP_2.equals(protocol)) {
            Stages.http2(ctx.pipeline(), this, next);
        } else {
            Stages.http(ctx.pipeline(), this, next);
        }
    }

    private void failed(ChannelHandlerContext ctx, Throwable cause) {
        String reason = TlsFailure.describe(cause);
        LOG.debug("TLS handshake with {} failed: {}", entry.peer(), reason);
        entry.ended(ended(reason, cause, clear.name()));
        ctx.close();
    }

    private static Ended ended(String reason, Throwable cause, String clear) {
        String told = TlsFailure.alert(cause);
        String alert = told.isEmpty() ? clear : told;
        if (TlsFailure.isDistrust(alert)) {
            return Ended.distrusted(
                    "the client does not trust the proxy's certificate (alert " + alert + "): see docs/trust.md",
                    alert);
        }
        return TlsFailure.isClosed(cause)
                ? Beginning.Stage.HANDSHAKE.silence()
                : Ended.tlsFailed(alert.isEmpty() ? reason : reason + " (the client's alert: " + alert + ")", alert);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        Exhaustion.note(cause);
        LOG.debug("connection of {} failed: {}", entry.peer(), TlsFailure.describe(cause));
        ctx.close();
    }
}
