package dev.sallyport.core.parent;

import dev.sallyport.core.parent.ParentException.Why;
import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The handshake of HTTP CONNECT (RFC 9110, 9.3.6) in HTTP/1.1. */
final class ConnectHandshake implements ParentHandshake {

    private static final int MAX_HEAD = 16 * 1024;
    private static final byte[] START = "HTTP/1.".getBytes(StandardCharsets.US_ASCII);

    /** {@code HTTP/1.1 200}. */
    private static final int STATUS_LINE = 12;

    private final byte[] request;
    private final boolean authenticated;
    private int received;
    private boolean done;

    ConnectHandshake(InetSocketAddress target, ParentLogin login) throws ParentException {
        String host = target.isUnresolved()
                ? target.getHostString()
                : target.getAddress().getHostAddress();
        int zone = host.indexOf('%');
        String plain = zone < 0 ? host : host.substring(0, zone);
        String authority = (plain.indexOf(':') >= 0 ? "[" + plain + "]" : plain) + ":" + target.getPort();
        String credentials = login.basic();
        authenticated = credentials != null;
        request = head(authority, credentials).getBytes(StandardCharsets.US_ASCII);
    }

    private static String head(String authority, @Nullable String credentials) {
        return "CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n"
                + (credentials == null ? "" : "Proxy-Authorization: " + credentials + "\r\n") + "\r\n";
    }

    @Override
    public byte[] begin() {
        return request;
    }

    @Override
    public boolean isDone() {
        return done;
    }

    @Override
    public byte[] receive(ByteBuf in) throws ParentException {
        while (!done) {
            requireStart(in);
            int end = end(in);
            if (end < 0) {
                if (received + in.readableBytes() > MAX_HEAD) {
                    throw new ParentException(Why.BROKEN, "answered with a head of more than 16 KiB");
                }
                return NOTHING;
            }
            int status = status(in);
            received += end - in.readerIndex();
            in.readerIndex(end);
            if (status >= 200) {
                judge(status);
                done = true;
            }
        }
        return NOTHING;
    }

    private static void requireStart(ByteBuf in) throws ParentException {
        int known = Math.min(START.length, in.readableBytes());
        for (int i = 0; i < known; i++) {
            if (in.getByte(in.readerIndex() + i) != START[i]) {
                throw new ParentException(Why.BROKEN, "answered with something that is not HTTP/1.1");
            }
        }
    }

    /**
     * The index after the empty line that ends the head, or -1. A parent may end lines with a bare LF (RFC 9112, 2.2).
     */
    private static int end(ByteBuf in) {
        int lineStart = in.readerIndex();
        for (int i = in.readerIndex(); i < in.writerIndex(); i++) {
            if (in.getByte(i) == '\n') {
                int length = i - lineStart;
                if (length == 0 || (length == 1 && in.getByte(lineStart) == '\r')) {
                    return i + 1;
                }
                lineStart = i + 1;
            }
        }
        return -1;
    }

    private static int status(ByteBuf in) throws ParentException {
        int at = in.readerIndex();
        String line = in.toString(at, Math.min(STATUS_LINE, in.readableBytes()), StandardCharsets.ISO_8859_1);
        if (!line.matches("HTTP/1\\.[01] [1-9][0-9]{2}")) {
            throw new ParentException(Why.BROKEN, "answered with something that is not HTTP/1.1");
        }
        return Integer.parseInt(line.substring(STATUS_LINE - 3));
    }

    private void judge(int status) throws ParentException {
        if (status < 300) {
            return;
        }
        String answered = "answered " + status;
        switch (status) {
            case 407 ->
                throw new ParentException(
                        Why.LOGIN,
                        answered + (authenticated ? ": it does not take these credentials" : ": it wants credentials"));
            case 502, 503, 504 ->
                throw new ParentException(Why.UNREACHABLE, answered + ": it could not reach the destination");
            default -> throw new ParentException(Why.REFUSED, answered + " to CONNECT");
        }
    }
}
