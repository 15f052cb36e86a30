package dev.sallyport.core.net.http1;

import dev.sallyport.core.exchange.DisconnectReason;
import dev.sallyport.core.loop.PacedReads;
import dev.sallyport.core.net.connection.ChannelClosing;
import dev.sallyport.core.net.connection.ClientConnection;
import dev.sallyport.core.net.connection.CloseNotifyHold;
import dev.sallyport.core.net.connection.LingeringClose;
import dev.sallyport.core.net.connection.StallDetector;
import dev.sallyport.core.net.connection.StallDetector.Turn;
import dev.sallyport.core.tls.TlsHalves;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.handler.ssl.SslHandler;
import org.jspecify.annotations.Nullable;

/**
 * The client's half of an HTTP/1.1 connection: how far it is read, and how it ends. It is read as far as there is
 * credit, and a little ahead, so that the proxy notices when the client leaves. The client may end it in any state of
 * the connection; over TLS the alert that does so waits while an answer is owed. On the connection's loop.
 */
final class ClientHalf implements StallDetector.Client {

    private final ClientHttp1Connection connection;
    private final Channel channel;
    private final ClientHttp1Decoder decoder;
    private final PacedReads reads;
    private final StallDetector stall;
    private @Nullable CloseNotifyHold closeNotify;

    /** Bytes of bodies that have arrived. */
    private long received;

    private boolean ended;

    /** @param reads what paces the reads of this connection */
    ClientHalf(ClientHttp1Connection connection, ClientConnection of, ClientHttp1Decoder decoder, PacedReads reads) {
        this.connection = connection;
        this.channel = of.channel();
        this.decoder = decoder;
        this.reads = reads;
        this.stall = new StallDetector(of.loop(), of.limits(), this);
    }

    // Its end.

    /** Lets it end alone. */
    void open(ChannelHandlerContext ctx, boolean tls) {
        if (!tls) {
            // Over TLS only an alert closes one half.
            ctx.channel().config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
            return;
        }
        closeNotify = ctx.pipeline().get(CloseNotifyHold.class);
        if (closeNotify != null) {
            closeNotify.whileOwed(this::owesAnswer);
        }
    }

    /** Whether an answer to a request that has come to its end has not been written, or there may be such a request. */
    private boolean owesAnswer() {
        return reads.isHolding()
                || connection.writer().isDirty()
                || switch (connection.state()) {
                    case ADMITTING, BACKPRESSURED -> true;
                    case IN_EXCHANGE -> connection.current().isRequestComplete();
                    default -> false;
                };
    }

    /** Lets a held {@code close_notify} pass when nothing is owed: TLS closes both halves on reading it. */
    void passAlert() {
        CloseNotifyHold hold = closeNotify;
        if (hold != null && hold.isHolding()) {
            connection.writer().flush();
            // Passes once all that was flushed has left.
            connection.context().writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> hold.settle());
        }
    }

    /** The client has ended it. */
    void end() {
        ended = true;
    }

    boolean hasEnded() {
        return ended;
    }

    /** Under TLS 1.3 what was switched to goes on in the other half. Whatever follows the alert is dropped. */
    static boolean endsAlone(ChannelHandlerContext ctx) {
        SslHandler tls = ChannelClosing.innermost(ctx);
        if (tls == null || !TlsHalves.isPeersEnded(tls)) {
            return false;
        }
        ctx.pipeline().addBefore(ctx.pipeline().context(tls).name(), null, new LingeringClose());
        return true;
    }

    // Reading.

    /** Some of a body has arrived. */
    void received(int bytes) {
        received += bytes;
    }

    /** Reads, as far as there is credit. */
    void read() {
        stall.check();
        if (wantsMore()) {
            connection.context().read();
        }
    }

    private boolean wantsMore() {
        if (ended) {
            return false;
        }
        return switch (connection.state()) {
            case AWAITING_HEAD, READING_HEAD, AWAITING_END, CLOSING -> true;
            case ADMITTING, BACKPRESSURED, HANDED_OVER, CLOSED -> false;
            case IN_EXCHANGE -> connection.current().outstanding() + decoder.buffered() < ClientHttp1Decoder.WINDOW;
            case UPGRADED -> connection.current().outstanding() < ClientHttp1Decoder.WINDOW;
        };
    }

    // Whether the client stalls.

    /** What the exchange waits for may have changed. */
    void check() {
        stall.check();
    }

    /** Releases the timer. */
    void cancel() {
        stall.cancel();
    }

    @Override
    public Turn turn() {
        ClientHttp1Exchange current = connection.exchange();
        if (current == null) {
            return Turn.NOT_ITS;
        } else if (!channel.isWritable()) {
            return Turn.READ;
        } else if (ended) {
            return current.relaysBytes() ? Turn.NOT_ITS : Turn.HALF_CLOSED;
        } else if (current.isRequestComplete() || !wantsMore()) {
            return Turn.NOT_ITS;
        }
        return current.isAnswered() ? Turn.SEND_ON : Turn.SEND;
    }

    @Override
    public long progress(Turn turn) {
        return switch (turn) {
            case READ -> channel.bytesBeforeWritable();
            case SEND, SEND_ON -> received;
            case HALF_CLOSED -> connection.writer().written();
            case NOT_ITS -> 0;
        };
    }

    @Override
    public void stalled(Turn turn) {
        ClientHttp1Exchange current = connection.exchange();
        if (current != null && (turn == Turn.SEND || turn == Turn.SEND_ON)) {
            decoder.discard();
            current.broken(StallDetector.STALLED);
        } else {
            connection.giveUp(turn == Turn.HALF_CLOSED ? DisconnectReason.HALF_CLOSED : DisconnectReason.UNREAD);
        }
    }
}
