package dev.sallyport.core.net.tunnel;

import dev.sallyport.core.exchange.DisconnectReason;
import dev.sallyport.core.exchange.EarlyTermination;
import dev.sallyport.core.exchange.Exchanges;
import dev.sallyport.core.exchange.Exchanges.TunnelVerdict;
import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.loop.Deadline;
import dev.sallyport.core.net.connection.ChannelClosing;
import dev.sallyport.core.net.connection.ClientConnection;
import dev.sallyport.core.net.connection.ConnectionDrain;
import dev.sallyport.core.net.connection.PreludeHandler;
import dev.sallyport.core.net.connection.TunnelInterior;
import dev.sallyport.core.net.request.ProxyCredentials;
import dev.sallyport.core.net.request.ProxyUsers;
import dev.sallyport.core.net.request.RefusedException;
import dev.sallyport.spi.Destination;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Opens a tunnel for a SOCKS5 client (docs/spec/decisions.md, section 3): greeting, credentials, request, policy; the
 * content is then judged as inside CONNECT. Bytes that directly follow the request belong to the tunnel.
 */
public final class Socks5Handler extends PreludeHandler {

    private enum State {
        GREETING,
        CREDENTIALS,
        REQUEST,
        /** The request waits for its permit; nothing is read meanwhile. */
        WAITING,
        /** Refused, or gone: further input is discarded. */
        ENDED
    }

    private State state = State.GREETING;
    private Socks5Codec.@Nullable Request request;
    private ClientConnection caller;
    private Exchanges.@Nullable Client asking;
    private final Deadline deadline;

    public Socks5Handler(ClientConnection connection) {
        super(connection);
        this.caller = connection;
        this.deadline = new Deadline(connection.loop(), this::late);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        deadline.in(connection.limits().headerReadTimeout());
        ctx.read();
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext ctx) {
        deadline.cancel();
        state = State.ENDED;
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        try {
            switch (state) {
                case GREETING -> greeting(ctx, in);
                case CREDENTIALS -> credentials(ctx, in);
                case REQUEST -> request(ctx, in);
                case WAITING -> {}
                case ENDED -> in.skipBytes(in.readableBytes());
            }
        } catch (Socks5Codec.RefusedException e) {
            in.skipBytes(in.readableBytes());
            Socks5Codec.Reply reply = e.reply();
            record(e.refusal(), e.target());
            end(ctx, reply == null ? null : reply.encoded());
        }
    }

    @Override
    protected void decodeLast(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        Socks5Codec.Request asked = request;
        Exchanges.Client client = asking;
        if (state == State.WAITING && asked != null && client != null) {
            connection.record(
                    client,
                    EarlyTermination.gone(
                            ConnectionDrain.reason(connection.channel(), DisconnectReason.LEFT),
                            head(),
                            asked.target()));
        }
        state = State.ENDED;
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (state != State.WAITING) {
            ctx.read();
        }
        ctx.fireChannelReadComplete();
    }

    private void greeting(ChannelHandlerContext ctx, ByteBuf in) throws Socks5Codec.RefusedException {
        Socks5Codec.Greeting greeting = Socks5Codec.greeting(in);
        if (greeting == null) {
            return;
        }
        Socks5Codec.Method method = method(greeting);
        switch (method) {
            case ANONYMOUS -> state = State.REQUEST;
            case PASSWORD -> state = State.CREDENTIALS;
            case NONE_ACCEPTABLE -> {
                refuse(ctx, method.selected(), unacceptable(greeting));
                return;
            }
        }
        ctx.writeAndFlush(method.selected(), ctx.voidPromise());
    }

    /** A client that offers credentials must present them when users are configured, even if they are optional. */
    private Socks5Codec.Method method(Socks5Codec.Greeting greeting) {
        if (greeting.password() && (users().asked() || !greeting.anonymous())) {
            return Socks5Codec.Method.PASSWORD;
        }
        boolean welcome = greeting.anonymous() && !users().required();
        return welcome ? Socks5Codec.Method.ANONYMOUS : Socks5Codec.Method.NONE_ACCEPTABLE;
    }

    /** Those in force now: they may change during a handshake. */
    private ProxyUsers users() {
        return connection.settings().users().get();
    }

    private static Refusal unacceptable(Socks5Codec.Greeting greeting) {
        return greeting.anonymous()
                ? ProxyUsers.refused(ProxyUsers.MISSING).refusal()
                : Refusal.badRequest("the client of SOCKS5 offers no method that is served");
    }

    /** Without configured users, credentials are ignored, as in HTTP. */
    private void credentials(ChannelHandlerContext ctx, ByteBuf in) throws Socks5Codec.RefusedException {
        ProxyCredentials shown = Socks5Codec.credentials(in);
        if (shown == null) {
            return;
        }
        try {
            ProxyUsers now = users();
            if (now.asked()) {
                caller = connection.as(now.authenticate(shown));
            }
            state = State.REQUEST;
            ctx.writeAndFlush(Socks5Codec.credentialsAnswer(true), ctx.voidPromise());
        } catch (RefusedException e) {
            refuse(ctx, Socks5Codec.credentialsAnswer(false), e.refusal());
        }
    }

    private void request(ChannelHandlerContext ctx, ByteBuf in) throws Socks5Codec.RefusedException {
        Socks5Codec.Request complete = Socks5Codec.request(in);
        if (complete != null) {
            deadline.clear();
            request = complete;
            judge(ctx, complete);
        }
    }

    private void judge(ChannelHandlerContext ctx, Socks5Codec.Request asked) {
        state = State.WAITING;
        Exchanges.Client client = asking == null ? caller.client(caller.info(ClientConnection.SOCKS5)) : asking;
        asking = client;
        Exchanges.Permit permit = client.tryPermit(connection.loop(), () -> permitted(ctx));
        if (permit == null) {
            return;
        }
        switch (permit.admit(head(), asked.target())) {
            case TunnelVerdict.Open open -> {
                ctx.writeAndFlush(Socks5Codec.Reply.SUCCEEDED.encoded(), ctx.voidPromise());
                ClientConnection inside = caller.inside(open.tunnel(), asked.target(), asked.stated());
                ctx.pipeline().replace(this, TunnelInterior.STAGE, inside.interior());
            }
            case TunnelVerdict.Denied denied -> {
                boolean policy = Refusal.isRejection(denied.refusal().status());
                Socks5Codec.Reply reply = policy ? Socks5Codec.Reply.NOT_ALLOWED : Socks5Codec.Reply.GENERAL_FAILURE;
                end(ctx, reply.encoded());
            }
        }
    }

    private static RequestMessage head() {
        return new RequestMessage("CONNECT", "", null, new HeaderBlock(1), 0);
    }

    private void permitted(ChannelHandlerContext ctx) {
        Socks5Codec.Request asked = request;
        if (state == State.WAITING && asked != null) {
            judge(ctx, asked);
        }
    }

    private void late() {
        if (state != State.ENDED) {
            state = State.ENDED;
            record(Refusal.timeout("the handshake of SOCKS5 was not completed in time"), null);
        }
        connection.channel().close();
    }

    private void record(Refusal refusal, @Nullable Destination target) {
        caller.record(caller.info(ClientConnection.SOCKS5), EarlyTermination.refused(refusal, target));
    }

    private void refuse(ChannelHandlerContext ctx, @Nullable ByteBuf answer, Refusal refusal) {
        record(refusal, null);
        end(ctx, answer);
    }

    /** Refuses, and keeps reading for a moment: closing while the client still sends could destroy the reply. */
    private void end(ChannelHandlerContext ctx, @Nullable ByteBuf answer) {
        state = State.ENDED;
        if (answer == null) {
            ctx.close();
            return;
        }
        deadline.in(connection.limits().clientIdleTimeout());
        ctx.write(answer, ctx.voidPromise());
        ChannelClosing.linger(ctx, () -> deadline.in(connection.limits().lingerTimeout()));
        ctx.read();
    }
}
