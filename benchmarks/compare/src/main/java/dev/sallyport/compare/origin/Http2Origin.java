package dev.sallyport.compare.origin;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2WindowUpdateFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2FrameStream;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.util.ReferenceCountUtil;
import java.util.HashMap;
import java.util.Map;

/** Answers HTTP/2: {@code /bytes/N} with N bytes, and unary calls of gRPC with the message that came. */
final class Http2Origin extends ChannelInboundHandlerAdapter {

    private static final int CONNECTION_WINDOW = 16 << 20;

    private final Bodies bodies;
    private final Map<Integer, Call> calls = new HashMap<>();

    /** A request of which the end has not come. */
    private static final class Call {

        private final String path;
        private final boolean grpc;
        private ByteBuf body = Unpooled.EMPTY_BUFFER;
        private long received;

        Call(Http2Headers head) {
            path = String.valueOf(head.path());
            grpc = String.valueOf(head.get("content-type")).startsWith("application/grpc");
        }

        void add(ByteBuf data) {
            received += data.readableBytes();
            if (grpc) {
                body = body.isReadable() ? Unpooled.wrappedBuffer(body, data.retain()) : data.retain();
            }
        }
    }

    Http2Origin(Bodies bodies) {
        this.bodies = bodies;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof Http2HeadersFrame head) {
            Call call = new Call(head.headers());
            if (head.isEndStream()) {
                answer(ctx, head.stream(), call);
            } else {
                calls.put(head.stream().id(), call);
            }
        } else if (message instanceof Http2DataFrame data) {
            data(ctx, data);
        } else {
            ReferenceCountUtil.release(message);
        }
    }

    private void data(ChannelHandlerContext ctx, Http2DataFrame data) {
        Call call = calls.get(data.stream().id());
        if (call != null) {
            call.add(data.content());
        }
        ctx.write(new DefaultHttp2WindowUpdateFrame(data.initialFlowControlledBytes()).stream(data.stream()));
        boolean last = data.isEndStream();
        Http2FrameStream stream = data.stream();
        data.release();
        if (last && call != null) {
            calls.remove(stream.id());
            answer(ctx, stream, call);
        }
    }

    private void answer(ChannelHandlerContext ctx, Http2FrameStream stream, Call call) {
        Http2Headers head = new DefaultHttp2Headers().status("200");
        if (call.grpc) {
            head.set("content-type", "application/grpc");
            ctx.write(new DefaultHttp2HeadersFrame(head, false).stream(stream));
            ctx.write(new DefaultHttp2DataFrame(call.body, false).stream(stream));
            ctx.write(new DefaultHttp2HeadersFrame(new DefaultHttp2Headers().set("grpc-status", "0"), true)
                    .stream(stream));
            return;
        }
        if (call.path.equals("/sink")) {
            ctx.write(new DefaultHttp2HeadersFrame(head, false).stream(stream));
            ByteBuf text = ByteBufUtil.writeAscii(ctx.alloc(), Long.toString(call.received));
            ctx.write(new DefaultHttp2DataFrame(text, true).stream(stream));
            return;
        }
        long bytes = call.path.startsWith("/bytes/") ? Long.parseLong(call.path.substring(7)) : 0;
        head.set("content-type", "text/plain").setLong("content-length", bytes);
        ctx.write(new DefaultHttp2HeadersFrame(head, bytes == 0).stream(stream));
        if (bytes > 0) {
            send(ctx, stream, bytes);
        }
    }

    /** One piece after the other: the next when the one before has left. */
    private void send(ChannelHandlerContext ctx, Http2FrameStream stream, long left) {
        ByteBuf piece = bodies.piece(left);
        long rest = left - piece.readableBytes();
        ctx.write(new DefaultHttp2DataFrame(piece, rest == 0).stream(stream)).addListener(sent -> {
            if (sent.isSuccess() && rest > 0) {
                send(ctx, stream, rest);
                ctx.flush();
            }
        });
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        // Of the whole connection: the setting speaks of streams only (RFC 9113, section 6.9.2).
        ctx.writeAndFlush(new DefaultHttp2WindowUpdateFrame(CONNECTION_WINDOW));
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) throws Exception {
        calls.values().forEach(call -> call.body.release());
        calls.clear();
        super.channelInactive(ctx);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        ctx.flush();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }
}
