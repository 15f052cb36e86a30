package dev.sallyport.core.upstream;

import dev.sallyport.core.tls.TlsFailure;
import dev.sallyport.core.upstream.UpstreamFailure.Kind;
import dev.sallyport.core.upstream.UpstreamFailure.Repeat;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * One exchange with an origin: its listener, its progress and its failure. Follows the last write of the request, after
 * which the response must arrive in time. Confined to its loop.
 */
abstract sealed class OriginStream implements UpstreamStream, ChannelFutureListener
        permits OriginHttp1Stream, OriginHttp2Stream {

    private UpstreamListener listener;
    private final boolean reused;
    private Progress progress = Progress.OPEN;

    private enum Progress {
        OPEN,
        /** Failed or complete: further calls and events have no effect. */
        OVER,
        /** Aborted by the caller, who is not notified of anything more. */
        ABORTED
    }

    OriginStream(UpstreamListener listener, boolean reused) {
        this.listener = listener;
        this.reused = reused;
    }

    /** The connection that carries the stream. */
    abstract UpstreamConnection connection();

    /** Ends the stream early and frees what it holds of the connection. */
    abstract void giveUp();

    /** The stream has failed: frees what it holds, before the listener is notified. */
    abstract void onFailed();

    /** The request has been sent to its end: starts the wait for the head. */
    abstract void awaitHead();

    @Override
    public final OriginEndpoint endpoint() {
        return connection().endpoint();
    }

    @Override
    public final boolean reused() {
        return reused;
    }

    @Override
    public final void listener(UpstreamListener next) {
        listener = next;
    }

    final UpstreamListener listener() {
        return listener;
    }

    /** Whether the stream has failed, was aborted or is complete. */
    final boolean over() {
        return progress != Progress.OPEN;
    }

    /** The stream has failed or is complete; an aborted one stays aborted. */
    final void ends() {
        if (progress == Progress.OPEN) {
            progress = Progress.OVER;
        }
    }

    /** The caller aborts; returns whether the stream was open. */
    final boolean aborts() {
        boolean open = !over();
        progress = Progress.ABORTED;
        return open;
    }

    /** Sends a part of the body that is not empty; returns the fault, or null. Owns the buffer. */
    abstract @Nullable String send(ByteBuf data);

    @Override
    public final void data(ByteBuf data) {
        if (over() || !data.isReadable()) {
            data.release();
        } else {
            failIf(send(data));
        }
    }

    /** The transport has taken the last of the request: the response must arrive in time from now on. */
    @Override
    public final void operationComplete(ChannelFuture lastWrite) {
        awaitHead();
    }

    /** Fails because of a fault of the caller, who is notified after its call has returned. */
    final void failIf(@Nullable String fault) {
        if (fault != null) {
            failLater(failure(Kind.UPSTREAM_PROTOCOL_ERROR, fault, Repeat.NEVER));
        }
    }

    /** As {@link #failIf}, with any failure. */
    final void failLater(UpstreamFailure failure) {
        giveUp();
        connection().channel().eventLoop().execute(() -> {
            if (progress != Progress.ABORTED) {
                listener.onFailure(failure);
            }
        });
    }

    /** Fails; has no effect on a stream that is over. */
    final void fail(Kind kind, String why, Repeat repeat) {
        if (!over()) {
            ends();
            onFailed();
            listener.onFailure(failure(kind, why, repeat));
        }
    }

    final UpstreamFailure failure(Kind kind, String why, Repeat repeat) {
        return new UpstreamFailure(kind, connection().destination() + ": " + why, repeat);
    }

    /**
     * Whether a connection that ended without a response may have ended because the origin asked for a certificate and
     * got none: under TLS 1.3 it says so only after the handshake, if it does.
     */
    final boolean lacksCertificate() {
        return !reused()
                && OriginTlsHandshakeHandler.hasAskedInVain(connection().channel());
    }

    static String reason(@Nullable Throwable cause) {
        return cause != null && isTls(cause) ? TlsFailure.describe(cause) : "closed before a response";
    }

    static boolean isTls(@Nullable Throwable cause) {
        return cause instanceof SSLException || (cause != null && cause.getCause() instanceof SSLException);
    }
}
