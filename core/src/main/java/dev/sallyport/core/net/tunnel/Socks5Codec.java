package dev.sallyport.core.net.tunnel;

import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.net.request.ProxyCredentials;
import dev.sallyport.spi.Destination;
import dev.sallyport.toolkit.match.Destinations;
import dev.sallyport.toolkit.match.InvalidHostException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.util.NetUtil;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The messages of SOCKS5 (RFC 1928) and of its user names and passwords (RFC 1929). Readers return null and consume
 * nothing while a message is incomplete.
 */
final class Socks5Codec {

    private static final int VERSION = 5;
    private static final int PASSWORD_VERSION = 1;
    private static final int CONNECT = 1;
    private static final int IPV4 = 1;
    private static final int DOMAIN = 3;
    private static final int IPV6 = 4;
    private static final int IPV4_BYTES = 4;
    private static final int IPV6_BYTES = 16;
    private static final int PORT_BYTES = 2;

    /** Version, command, reserved, type of address. */
    private static final int REQUEST_HEAD = 4;

    private Socks5Codec() {}

    /** The authentication methods (RFC 1928, 3). */
    enum Method {
        ANONYMOUS(0),
        PASSWORD(2),
        NONE_ACCEPTABLE(0xFF);

        private final int code;

        Method(int code) {
            this.code = code;
        }

        /** The reply to a greeting. */
        ByteBuf selected() {
            return Unpooled.wrappedBuffer(new byte[] {VERSION, (byte) code});
        }
    }

    /** The reply to a request (RFC 1928, 6). Nothing has been dialled, so there is no bound address to report. */
    enum Reply {
        SUCCEEDED(0),
        GENERAL_FAILURE(1),
        NOT_ALLOWED(2),
        COMMAND_NOT_SUPPORTED(7),
        ADDRESS_TYPE_NOT_SUPPORTED(8);

        private final int code;

        Reply(int code) {
            this.code = code;
        }

        ByteBuf encoded() {
            return Unpooled.wrappedBuffer(new byte[] {VERSION, (byte) code, 0, IPV4, 0, 0, 0, 0, 0, 0});
        }
    }

    /** The methods that a client offers. */
    record Greeting(boolean anonymous, boolean password) {}

    /**
     * The destination that a client requests.
     *
     * @param stated {@code host:port} as the client wrote it
     */
    record Request(Destination target, String stated) {}

    /** Refuses a message. Has no stack trace: it is a reply, not a fault. */
    static final class RefusedException extends Exception {

        private static final long serialVersionUID = 1L;

        private final transient Refusal refusal;
        private final @Nullable Reply reply;
        private final transient @Nullable Destination target;

        RefusedException(Refusal refusal, @Nullable Reply reply) {
            this(refusal, reply, null);
        }

        private RefusedException(Refusal refusal, @Nullable Reply reply, @Nullable Destination target) {
            super(refusal.detail(), null, false, false);
            this.refusal = refusal;
            this.reply = reply;
            this.target = target;
        }

        /** The address of the request, where it was there; null otherwise. */
        @Nullable Destination target() {
            return target;
        }

        Refusal refusal() {
            return refusal;
        }

        /** The reply that the client gets before it is disconnected; null for none. */
        @Nullable Reply reply() {
            return reply;
        }
    }

    static @Nullable Greeting greeting(ByteBuf in) throws RefusedException {
        int at = in.readerIndex();
        if (in.readableBytes() > 0 && in.getUnsignedByte(at) != VERSION) {
            throw malformed("the greeting of SOCKS5 has another version", null);
        }
        if (in.readableBytes() < 2) {
            return null;
        }
        int methods = in.getUnsignedByte(at + 1);
        if (in.readableBytes() < 2 + methods) {
            return null;
        }
        boolean anonymous = false;
        boolean password = false;
        for (int i = 0; i < methods; i++) {
            int method = in.getUnsignedByte(at + 2 + i);
            anonymous |= method == Method.ANONYMOUS.code;
            password |= method == Method.PASSWORD.code;
        }
        in.skipBytes(2 + methods);
        return new Greeting(anonymous, password);
    }

    static @Nullable ProxyCredentials credentials(ByteBuf in) throws RefusedException {
        int at = in.readerIndex();
        int length = in.readableBytes();
        if (length > 0 && in.getUnsignedByte(at) != PASSWORD_VERSION) {
            throw malformed("the user name and password of SOCKS5 have another version", null);
        }
        if (length < 2) {
            return null;
        }
        int name = in.getUnsignedByte(at + 1);
        if (length < 3 + name) {
            return null;
        }
        int password = in.getUnsignedByte(at + 2 + name);
        if (length < 3 + name + password) {
            return null;
        }
        ProxyCredentials credentials = new ProxyCredentials(
                in.toString(at + 2, name, StandardCharsets.UTF_8),
                ByteBufUtil.getBytes(in, at + 3 + name, password, true));
        in.skipBytes(3 + name + password);
        return credentials;
    }

    /** The reply to a user name and password. */
    static ByteBuf credentialsAnswer(boolean accepted) {
        return Unpooled.wrappedBuffer(new byte[] {PASSWORD_VERSION, (byte) (accepted ? 0 : 1)});
    }

    /** The command and the type of the address are checked as soon as they are known: anything may follow them. */
    static @Nullable Request request(ByteBuf in) throws RefusedException {
        int at = in.readerIndex();
        int length = in.readableBytes();
        if (length > 0 && in.getUnsignedByte(at) != VERSION) {
            throw malformed("the request of SOCKS5 has another version", Reply.GENERAL_FAILURE);
        }
        if (length < REQUEST_HEAD) {
            return null;
        }
        if (in.getUnsignedByte(at + 1) != CONNECT) {
            throw new RefusedException(
                    refusal("socks_command_not_supported", "of the commands of SOCKS5, CONNECT alone is served"),
                    Reply.COMMAND_NOT_SUPPORTED,
                    target(in));
        }
        if (in.getUnsignedByte(at + 2) != 0) {
            throw malformed("the reserved byte of the SOCKS5 request is not 0", Reply.GENERAL_FAILURE);
        }
        return address(in);
    }

    /** The address behind a command that is not served, as far as it is there and can be read; for the record. */
    private static @Nullable Destination target(ByteBuf in) {
        try {
            Request read = address(in.duplicate());
            return read == null ? null : read.target();
        } catch (RefusedException e) {
            return null;
        }
    }

    private static @Nullable Request address(ByteBuf in) throws RefusedException {
        int at = in.readerIndex();
        int length = in.readableBytes();
        int type = in.getUnsignedByte(at + 3);
        int from = type == DOMAIN ? REQUEST_HEAD + 1 : REQUEST_HEAD;
        if (length < from) {
            return null;
        }
        int size = addressBytes(type, type == DOMAIN ? in.getUnsignedByte(at + REQUEST_HEAD) : 0);
        if (length < from + size + PORT_BYTES) {
            return null;
        }
        byte[] address = ByteBufUtil.getBytes(in, at + from, size, true);
        int port = in.getUnsignedShort(at + from + size);
        in.skipBytes(from + size + PORT_BYTES);
        return request(type, address, port);
    }

    private static int addressBytes(int type, int domainBytes) throws RefusedException {
        return switch (type) {
            case IPV4 -> IPV4_BYTES;
            case DOMAIN -> domainBytes;
            case IPV6 -> IPV6_BYTES;
            default ->
                throw new RefusedException(
                        refusal("socks_address_type_not_supported", "an address of an unknown type (RFC 1928, 5)"),
                        Reply.ADDRESS_TYPE_NOT_SUPPORTED);
        };
    }

    /** As with CONNECT, the protocol inside is not known yet; TLS is assumed. A name is ASCII: A-labels. */
    private static Request request(int type, byte[] address, int port) throws RefusedException {
        String host =
                type == DOMAIN ? new String(address, StandardCharsets.ISO_8859_1) : NetUtil.bytesToIpAddress(address);
        if (host.chars().anyMatch(c -> c <= ' ' || c >= 0x7F)) {
            throw malformed("the target of the SOCKS5 request has a character that no host has", Reply.GENERAL_FAILURE);
        }
        try {
            Destination target = Destinations.parse(host, port, true);
            return new Request(target, (type == IPV6 ? "[" + host + "]" : host) + ":" + port);
        } catch (InvalidHostException e) {
            throw malformed("the target of the SOCKS5 request: " + e.reason(), Reply.GENERAL_FAILURE);
        }
    }

    private static RefusedException malformed(String detail, @Nullable Reply reply) {
        return new RefusedException(Refusal.badRequest(detail), reply);
    }

    private static Refusal refusal(String code, String detail) {
        return new Refusal(400, code, detail, "http_request_error");
    }
}
