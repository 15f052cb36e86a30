package dev.sallyport.compare.load;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2WindowUpdateFrame;
import io.netty.handler.codec.http2.Http2ChannelDuplexHandler;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2FrameStream;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2SettingsFrame;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** HTTP/2: a number of streams at a time on each connection, each of them one request or one unary call of gRPC. */
public final class Streams extends Load {

    private static final int MESSAGE = 128;

    private final Dialler dialler;
    private final Route route;
    private final int connections;
    private final int streams;
    private final boolean grpc;
    private final String path;
    private final Set<Connection> open = new HashSet<>();

    /** @param grpc whether each request is a unary call of gRPC, with a message of 128 bytes */
    public Streams(Dialler dialler, Route route, int connections, int streams, boolean grpc, String path) {
        super(dialler);
        this.dialler = dialler;
        this.route = route;
        this.connections = connections;
        this.streams = streams;
        this.grpc = grpc;
        this.path = path;
    }

    /** What is known of one stream. */
    private static final class Call {

        private final long since = System.nanoTime();
        private boolean good;
    }

    private final class Connection extends Http2ChannelDuplexHandler {

        private final ChannelHandlerContext[] context = new ChannelHandlerContext[1];
        private final Map<Http2FrameStream, Call> calls = new HashMap<>();

        @Override
        protected void handlerAdded0(ChannelHandlerContext ctx) {
            context[0] = ctx;
        }

        void fill() {
            while (running && calls.size() < streams) {
                call(context[0]);
            }
            context[0].flush();
        }

        private void call(ChannelHandlerContext ctx) {
            Http2FrameStream stream = newStream();
            Call call = new Call();
            calls.put(stream, call);
            Http2Headers head = new DefaultHttp2Headers()
                    .method(grpc ? "POST" : "GET")
                    .scheme("https")
                    .authority(route.authority())
                    .path(path);
            if (grpc) {
                head.set("content-type", "application/grpc").set("te", "trailers");
            }
            ctx.write(new DefaultHttp2HeadersFrame(head, !grpc).stream(stream)).addListener(sent -> {
                if (!sent.isSuccess()) {
                    finished(stream, sent.cause());
                }
            });
            if (grpc) {
                ctx.write(new DefaultHttp2DataFrame(message(ctx), true).stream(stream));
            }
        }

        private static ByteBuf message(ChannelHandlerContext ctx) {
            return ctx.alloc()
                    .buffer(5 + MESSAGE)
                    .writeByte(0)
                    .writeInt(MESSAGE)
                    .writeZero(MESSAGE);
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            switch (message) {
                case Http2HeadersFrame head -> head(head);
                case Http2DataFrame data -> {
                    counter.bytes(data.content().readableBytes());
                    ctx.write(
                            new DefaultHttp2WindowUpdateFrame(data.initialFlowControlledBytes()).stream(data.stream()));
                    boolean last = data.isEndStream();
                    Http2FrameStream stream = data.stream();
                    data.release();
                    if (last) {
                        finished(stream, null);
                    }
                }
                case Http2ResetFrame reset ->
                    finished(reset.stream(), new IOException("stream reset: " + reset.errorCode()));
                case Http2SettingsFrame settings -> open.add(this);
                default -> ReferenceCountUtil.release(message);
            }
        }

        private void head(Http2HeadersFrame head) {
            Call call = calls.get(head.stream());
            if (call != null) {
                String result = String.valueOf(head.headers().get(grpc ? "grpc-status" : ":status"));
                call.good |= result.equals(grpc ? "0" : "200");
            }
            if (head.isEndStream()) {
                finished(head.stream(), null);
            }
        }

        private void finished(Http2FrameStream stream, @Nullable Throwable failure) {
            Call call = calls.remove(stream);
            if (call == null) {
                return;
            }
            if (failure == null && call.good) {
                counter.done(call.since);
            } else {
                counter.error(failure == null ? new IOException("no 200, or no grpc-status 0") : failure);
                loop.schedule(this::fill, 10, java.util.concurrent.TimeUnit.MILLISECONDS);
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            // Not before: while its last frame is being read, a stream still counts against the peer's limit.
            loop.execute(this::fill);
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) throws Exception {
            super.channelInactive(ctx);
            open.remove(this);
            if (!closed) {
                counter.error(new IOException("the HTTP/2 connection was closed"));
                dial();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            counter.error(cause);
            ctx.close();
        }
    }

    @Override
    void connect() {
        for (int i = 0; i < connections; i++) {
            dial();
        }
    }

    private void dial() {
        dialler.dial(route, List.of(ApplicationProtocolNames.HTTP_2)).addListener(future -> {
            if (!future.isSuccess()) {
                counter.error(future.cause());
                return;
            }
            Channel channel = (Channel) future.getNow();
            SslHandler tls = channel.pipeline().get(SslHandler.class);
            if (tls != null && !ApplicationProtocolNames.HTTP_2.equals(tls.applicationProtocol())) {
                counter.error(new IOException("ALPN chose " + tls.applicationProtocol() + " (expected: h2)"));
                channel.close();
                return;
            }
            Http2FrameCodec codec = Http2FrameCodecBuilder.forClient()
                    .initialSettings(Http2Settings.defaultSettings().pushEnabled(false))
                    .build();
            channel.pipeline().addLast(codec, new Connection());
        });
    }

    @Override
    int wanted() {
        return connections;
    }

    @Override
    int connected() {
        return open.size();
    }

    @Override
    void start() {
        List.copyOf(open).forEach(Connection::fill);
    }

    @Override
    void disconnect() {
        List.copyOf(open).forEach(connection -> connection.context[0].close());
    }
}
