package dev.sallyport.testkit;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.core.upstream.NearAddresses;
import dev.sallyport.core.upstream.OriginEndpoint;
import dev.sallyport.core.upstream.Route;
import dev.sallyport.core.upstream.RouteCheckListener;
import dev.sallyport.core.upstream.TunnelListener;
import dev.sallyport.core.upstream.UpstreamFailure;
import dev.sallyport.core.upstream.UpstreamListener;
import dev.sallyport.core.upstream.UpstreamStream;
import dev.sallyport.core.upstream.Upstreams;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The origin's side: accepts one request after another and answers each from the script. Confined to the loop. */
final class ScriptedUpstream implements Upstreams {

    /** The first bytes of a documentation prefix (RFC 3849); nothing is ever sent there. */
    private static final byte[] DOCUMENTATION = {0x20, 0x01, 0x0d, (byte) 0xb8};

    private static final int IPV6_BYTES = 16;
    private static final int DISCARD_PORT = 9;

    private final Upstream script;
    private final boolean far;
    private @Nullable Stream last;

    /** @param far whether the origin's address is not a loopback, private or link-local one */
    ScriptedUpstream(Upstream script, boolean far) {
        this.script = script;
        this.far = far;
    }

    /** Each host has an address of its own. */
    private InetSocketAddress address(Route route) {
        int host = route.destination().host().hashCode();
        byte[] bytes = far
                ? ByteBuffer.allocate(IPV6_BYTES)
                        .put(DOCUMENTATION)
                        .putInt(IPV6_BYTES - Integer.BYTES, host)
                        .array()
                : new byte[] {127, (byte) (host >> 16), (byte) (host >> 8), (byte) (host | 1)};
        try {
            return new InetSocketAddress(InetAddress.getByAddress(bytes), DISCARD_PORT);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns and forgets the last request; null when there was none. */
    @Nullable ForwardedRequest takeLast() {
        Stream stream = last;
        last = null;
        return stream == null ? null : stream.request();
    }

    @Override
    public Runnable open(EventLoop loop, Route route, UpstreamListener listener) {
        if (mayBeDialled(route)) {
            listener.onReady(new Stream(address(route), listener));
        } else {
            loop.execute(() -> listener.onFailure(denied(route)));
        }
        return () -> {};
    }

    @Override
    public Runnable check(EventLoop loop, Route route, RouteCheckListener listener) {
        loop.execute(() -> {
            if (mayBeDialled(route)) {
                listener.onPassed(List.of(address(route)));
            } else {
                listener.onFailure(denied(route));
            }
        });
        return () -> {};
    }

    private boolean mayBeDialled(Route route) {
        return !route.nearOnly() || NearAddresses.contain(address(route).getAddress());
    }

    private static UpstreamFailure denied(Route route) {
        return new UpstreamFailure(
                UpstreamFailure.Kind.PLAINTEXT_CREDENTIAL,
                route.destination() + ": the origin of the harness is far",
                UpstreamFailure.Repeat.NEVER);
    }

    /** Opens no connection: a passed-through connection ends as soon as it could begin. */
    @Override
    public Runnable tunnel(EventLoop loop, Route route, TunnelListener listener) {
        loop.execute(() -> {
            if (mayBeDialled(route)) {
                listener.onConnected(new EmbeddedChannel(), new OriginEndpoint(address(route), null));
            } else {
                listener.onFailure(denied(route));
            }
        });
        return () -> {};
    }

    private final class Stream implements UpstreamStream {

        private final InetSocketAddress address;
        private UpstreamListener listener;
        private final ByteArrayOutputStream content = new ByteArrayOutputStream();
        private String method = "";
        private String target = "";
        private HeaderLines headers = HeaderLines.NONE;
        private HeaderLines trailers = HeaderLines.NONE;
        private boolean complete;
        private boolean aborted;

        Stream(InetSocketAddress address, UpstreamListener listener) {
            this.address = address;
            this.listener = listener;
        }

        ForwardedRequest request() {
            return new ForwardedRequest(method, target, headers, content.toByteArray(), trailers, complete);
        }

        @Override
        public OriginEndpoint endpoint() {
            return new OriginEndpoint(address, null);
        }

        @Override
        public String protocol() {
            return "http/1.1";
        }

        @Override
        public boolean reused() {
            return false;
        }

        @Override
        public void listener(UpstreamListener next) {
            listener = next;
        }

        @Override
        public void head(RequestMessage head, boolean end) {
            last = this;
            method = head.method();
            target = head.target();
            headers = HeaderLines.of(head.headers());
            if (end) {
                answer();
            }
        }

        @Override
        public void data(ByteBuf data) {
            Bytes.drain(data, content);
        }

        @Override
        public void end(HeaderBlock fields) {
            trailers = HeaderLines.of(fields);
            answer();
        }

        @Override
        public boolean isWritable() {
            return true;
        }

        @Override
        public void consumed(int bytes) {}

        @Override
        public void abort() {
            aborted = true;
        }

        private void answer() {
            complete = true;
            TestResponse response = script.answer(request());
            List<byte[]> pieces = response.pieces();
            boolean empty = pieces.isEmpty() && response.length() == 0;
            listener.onHead(
                    new ResponseMessage(
                            response.status(),
                            response.reason(),
                            response.headers().block(),
                            response.length()),
                    empty);
            for (byte[] piece : pieces) {
                if (!aborted) {
                    listener.onData(Unpooled.wrappedBuffer(piece));
                }
            }
            if (!empty && !aborted) {
                listener.onEnd(response.trailers().block());
            }
        }
    }
}
