package dev.sallyport.core.net;

import dev.sallyport.core.exchange.Ended;
import dev.sallyport.core.exchange.Exchanges;
import dev.sallyport.core.exchange.Exchanges.TunnelVerdict;
import dev.sallyport.core.exchange.Gone;
import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.meter.Exhaustion;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens a tunnel for a client of SOCKS5 (docs/spec/decisions.md, section 3): greeting, credentials, request, policy;
 * then what is spoken inside is judged as it is inside CONNECT. Bytes that follow the request at once belong there.
 */
final class Socks5Handler extends ByteToMessageDecoder {

    private static final Logger LOG = LoggerFactory.getLogger(Socks5Handler.class);

    private enum State {
        GREETING,
        CREDENTIALS,
        REQUEST,
        /** The request waits for its permit; nothing is read meanwhile. */
        WAITING,
        /** Refused, or gone: what still comes is thrown away. */
        ENDED
    }

    private final Entry entry;
    private final ProxyUsers users;
    private final Deadline deadline;
    private State state = State.GREETING;
    private Socks5.@Nullable Request request;
    private Entry caller;
    private Exchanges.@Nullable Client asking;

    Socks5Handler(Entry entry) {
        this.entry = entry;
        this.caller = entry;
        this.users = entry.wiring().users().get();
        this.deadline = new Deadline(entry.loop(), this::late);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        deadline.in(entry.limits().headerReadTimeout());
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
        } catch (Socks5.RefusedException e) {
            in.skipBytes(in.readableBytes());
            Socks5.Reply reply = e.reply();
            refuse(ctx, reply == null ? null : reply.encoded(), e.refusal());
        }
    }

    @Override
    protected void decodeLast(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        Socks5.Request asked = request;
        Exchanges.Client client = asking;
        if (state == State.WAITING && asked != null && client != null) {
            entry.record(client, Ended.gone(Connections.gone(entry.channel(), Gone.LEFT), head(), asked.target()));
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

    private void greeting(ChannelHandlerContext ctx, ByteBuf in) throws Socks5.RefusedException {
        Socks5.Greeting greeting = Socks5.greeting(in);
        if (greeting == null) {
            return;
        }
        Socks5.Method method = method(greeting);
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

    /** Whoever has credentials is to show them where they count, even if nobody has to. */
    private Socks5.Method method(Socks5.Greeting greeting) {
        if (greeting.password() && (users.asked() || !greeting.anonymous())) {
            return Socks5.Method.PASSWORD;
        }
        boolean welcome = greeting.anonymous() && !users.required();
        return welcome ? Socks5.Method.ANONYMOUS : Socks5.Method.NONE_ACCEPTABLE;
    }

    private static Refusal unacceptable(Socks5.Greeting greeting) {
        return greeting.anonymous()
                ? ProxyUsers.refused(ProxyUsers.MISSING).refusal()
                : Refusal.badRequest("the client of SOCKS5 offers no method that is served");
    }

    /** Where nobody is asked, credentials do not count, as in HTTP. */
    private void credentials(ChannelHandlerContext ctx, ByteBuf in) throws Socks5.RefusedException {
        Credentials shown = Socks5.credentials(in);
        if (shown == null) {
            return;
        }
        try {
            if (users.asked()) {
                caller = entry.as(users.authenticate(shown));
            }
            state = State.REQUEST;
            ctx.writeAndFlush(Socks5.credentialsAnswer(true), ctx.voidPromise());
        } catch (Refused e) {
            refuse(ctx, Socks5.credentialsAnswer(false), e.refusal());
        }
    }

    private void request(ChannelHandlerContext ctx, ByteBuf in) throws Socks5.RefusedException {
        Socks5.Request complete = Socks5.request(in);
        if (complete != null) {
            deadline.clear();
            request = complete;
            judge(ctx, complete);
        }
    }

    private void judge(ChannelHandlerContext ctx, Socks5.Request asked) {
        state = State.WAITING;
        Exchanges.Client client = asking == null ? caller.client(caller.info(Entry.SOCKS5)) : asking;
        asking = client;
        Exchanges.Permit permit = client.tryPermit(entry.loop(), () -> permitted(ctx));
        if (permit == null) {
            return;
        }
        switch (permit.admit(head(), asked.target())) {
            case TunnelVerdict.Open open -> {
                ctx.writeAndFlush(Socks5.Reply.SUCCEEDED.encoded(), ctx.voidPromise());
                Entry inside = caller.inside(open.tunnel(), asked.target(), asked.stated());
                ctx.pipeline().replace(this, Stages.FIRST, new FirstBytesHandler(inside));
            }
            case TunnelVerdict.Denied denied -> {
                boolean policy = denied.refusal().status() < 500;
                Socks5.Reply reply = policy ? Socks5.Reply.NOT_ALLOWED : Socks5.Reply.GENERAL_FAILURE;
                end(ctx, reply.encoded());
            }
        }
    }

    private static RequestMessage head() {
        return new RequestMessage("CONNECT", "", null, new HeaderBlock(1), 0);
    }

    private void permitted(ChannelHandlerContext ctx) {
        Socks5.Request asked = request;
        if (state == State.WAITING && asked != null) {
            judge(ctx, asked);
        }
    }

    private void late() {
        if (state != State.ENDED) {
            state = State.ENDED;
            record(Refusal.timeout("the handshake of SOCKS5 was not completed in time"));
        }
        entry.channel().close();
    }

    private void record(Refusal refusal) {
        caller.record(caller.info(Entry.SOCKS5), Ended.refused(refusal));
    }

    private void refuse(ChannelHandlerContext ctx, @Nullable ByteBuf answer, Refusal refusal) {
        record(refusal);
        end(ctx, answer);
    }

    /** Says no, and reads on for a moment: closing while the client still sends could take the answer from it. */
    private void end(ChannelHandlerContext ctx, @Nullable ByteBuf answer) {
        state = State.ENDED;
        if (answer == null) {
            ctx.close();
            return;
        }
        deadline.in(entry.limits().idleTimeout());
        ctx.write(answer, ctx.voidPromise());
        Endings.linger(ctx, () -> deadline.in(entry.limits().lingerTimeout()));
        ctx.read();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof Connections.Drain) {
            ctx.close();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        Exhaustion.note(cause);
        LOG.debug("connection of {} failed: {}", entry.peer(), cause.toString());
        ctx.close();
    }
}
