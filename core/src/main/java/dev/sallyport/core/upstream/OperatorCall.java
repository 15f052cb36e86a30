package dev.sallyport.core.upstream;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.HopByHop;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.core.upstream.UpstreamFailure.Repeat;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.HttpCall;
import dev.sallyport.spi.HttpReply;
import dev.sallyport.toolkit.match.Destinations;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.io.IOException;
import java.net.URI;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One call to a host that the operator configured, from request to complete reply. Methods that must not be repeated
 * use a new connection, since a stale one could lose them; others are tried a second time when a pooled connection
 * turns out to be closed. Confined to its loop; the result may be cancelled from any thread.
 */
final class OperatorCall implements UpstreamListener {

    private static final Set<String> WITH_BODY = Set.of("POST", "PUT", "PATCH");

    private final EventLoop loop;
    private final Upstreams upstreams;
    private final HttpCall call;
    private final CompletableFuture<HttpReply> result = new CompletableFuture<>();
    private @Nullable Runnable pendingOpen;
    private @Nullable UpstreamStream stream;
    private @Nullable ScheduledFuture<?> limit;
    private @Nullable OperatorReply reply;
    private boolean retried;

    OperatorCall(EventLoop loop, Upstreams upstreams, HttpCall call) {
        this.loop = loop;
        this.upstreams = upstreams;
        this.call = call;
    }

    CompletableFuture<HttpReply> result() {
        return result;
    }

    void start() {
        limit = loop.schedule(this::tookTooLong, call.timeout().toNanos(), TimeUnit.NANOSECONDS);
        result.whenComplete((done, failure) -> {
            if (loop.inEventLoop()) {
                stop();
            } else {
                loop.execute(this::stop); // cancelled
            }
        });
        Destination destination;
        try {
            destination = destination(call);
        } catch (IllegalArgumentException e) {
            fail("no destination: " + e.getMessage());
            return;
        }
        Route route = Route.configured(destination);
        open(Repeat.STALE_CONNECTION.allows(call.method()) ? route : route.onFreshConnection());
    }

    private void open(Route route) {
        if (result.isDone()) {
            return;
        }
        Runnable cancel = upstreams.open(loop, route, this);
        if (stream == null) {
            pendingOpen = cancel;
        }
    }

    private static Destination destination(HttpCall call) {
        return Destinations.parse(
                call.host(), call.port(), call.uri().getScheme().equalsIgnoreCase("https"));
    }

    private void tookTooLong() {
        result.completeExceptionally(
                new TimeoutException(call.host() + ": no complete reply within " + call.timeout()));
    }

    private void fail(String message) {
        result.completeExceptionally(new IOException(message));
    }

    private void stop() {
        if (limit != null) {
            limit.cancel(false);
        }
        if (pendingOpen != null) {
            pendingOpen.run();
        }
        if (stream != null) {
            stream.abort();
        }
        if (reply != null) {
            reply.discard();
        }
    }

    @Override
    public void onReady(UpstreamStream ready) {
        pendingOpen = null;
        stream = ready;
        byte[] body = call.body();
        ready.head(head(body.length), body.length == 0);
        if (body.length > 0) {
            ready.data(Unpooled.wrappedBuffer(body));
            ready.end(new HeaderBlock(1));
        }
    }

    private RequestMessage head(int length) {
        URI uri = URI.create(call.uri().toASCIIString());
        HeaderBlock headers = new HeaderBlock(call.headers().size() + 3);
        headers.append("Host", host(destination(call)));
        for (Map.Entry<String, String> line : call.headers()) {
            if (!line.getKey().equalsIgnoreCase("Host") && !line.getKey().equalsIgnoreCase("Content-Length")) {
                headers.append(line.getKey(), line.getValue());
            }
        }
        HopByHop.strip(headers);
        if (!headers.contains("Accept-Encoding")) {
            headers.append("Accept-Encoding", "identity");
        }
        if (length > 0 || WITH_BODY.contains(call.method())) {
            headers.append("Content-Length", Integer.toString(length));
        }
        String path = uri.getRawPath();
        return new RequestMessage(
                call.method(), path == null || path.isEmpty() ? "/" : path, uri.getRawQuery(), headers, length);
    }

    private static String host(Destination destination) {
        String authority = destination.authority();
        boolean usual = destination.port() == usualPort(destination.secure());
        return usual ? authority.substring(0, authority.lastIndexOf(':')) : authority;
    }

    private static int usualPort(boolean secure) {
        return secure ? 443 : 80;
    }

    @Override
    public void onInterim(ResponseMessage head) {
        // The body follows.
    }

    @Override
    public void onHead(ResponseMessage head, boolean end) {
        HopByHop.strip(head.headers());
        OperatorReply begun = OperatorReply.begin(head, end, call.maxReplyBytes());
        if (begun == null) {
            fail(call.host() + ": reply in an unknown content coding");
            return;
        }
        reply = begun;
        if (end) {
            onEnd(new HeaderBlock(1));
        }
    }

    @Override
    public void onData(ByteBuf data) {
        OperatorReply filled = reply;
        UpstreamStream from = stream;
        int length = data.readableBytes();
        String fault = null;
        try {
            if (filled != null) {
                fault = filled.add(data.nioBuffer());
            }
        } finally {
            data.release();
        }
        if (fault != null) {
            fail(call.host() + ": " + fault);
        } else if (from != null) {
            from.consumed(length);
        }
    }

    @Override
    public void onEnd(HeaderBlock trailers) {
        OperatorReply filled = reply;
        stream = null;
        if (filled == null) {
            return;
        }
        String fault = filled.end();
        if (fault != null) {
            fail(call.host() + ": " + fault);
        } else {
            result.complete(filled);
        }
    }

    @Override
    public void onWritable() {
        // The body is in memory and has been passed on whole.
    }

    @Override
    public void onFailure(UpstreamFailure failure) {
        pendingOpen = null;
        stream = null;
        if (failure.repeat().allows(call.method()) && !retried) {
            retried = true;
            open(Route.configured(destination(call)).onFreshConnection());
        } else {
            fail(failure.message());
        }
    }
}
