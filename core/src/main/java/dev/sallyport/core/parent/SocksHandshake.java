package dev.sallyport.core.parent;

import dev.sallyport.core.parent.ParentException.Why;
import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** The handshake of SOCKS 5 (RFC 1928), with a user and a password (RFC 1929) if configured. */
final class SocksHandshake implements ParentHandshake {

    private static final int VERSION = 5;
    private static final int CONNECT = 1;
    private static final int NO_AUTHENTICATION = 0;
    private static final int PASSWORD = 2;
    private static final int IPV4 = 1;
    private static final int NAME = 3;
    private static final int IPV6 = 4;

    private enum State {
        METHOD,
        LOGIN,
        REPLY,
        DONE
    }

    private final InetSocketAddress target;
    private final ParentLogin login;
    private final byte[] credentials;
    private State state = State.METHOD;

    SocksHandshake(InetSocketAddress target, ParentLogin login) throws ParentException {
        this.target = target;
        this.login = login;
        this.credentials = login.given() ? login.socks() : NOTHING;
    }

    @Override
    public byte[] begin() {
        return login.given()
                ? new byte[] {VERSION, 2, NO_AUTHENTICATION, PASSWORD}
                : new byte[] {VERSION, 1, NO_AUTHENTICATION};
    }

    @Override
    public boolean isDone() {
        return state == State.DONE;
    }

    @Override
    public byte[] receive(ByteBuf in) throws ParentException {
        return switch (state) {
            case METHOD -> method(in);
            case LOGIN -> loggedIn(in);
            case REPLY -> reply(in);
            case DONE -> NOTHING;
        };
    }

    private byte[] method(ByteBuf in) throws ParentException {
        requireVersion(in, VERSION);
        if (in.readableBytes() < 2) {
            return NOTHING;
        }
        in.skipBytes(1);
        int method = in.readUnsignedByte();
        if (method == NO_AUTHENTICATION) {
            state = State.REPLY;
            return request();
        }
        if (method == PASSWORD && login.given()) {
            state = State.LOGIN;
            return credentials;
        }
        throw new ParentException(
                Why.LOGIN,
                login.given() ? "takes none of our ways to authenticate" : "wants credentials, or a way to give them");
    }

    private byte[] loggedIn(ByteBuf in) throws ParentException {
        requireVersion(in, 1);
        if (in.readableBytes() < 2) {
            return NOTHING;
        }
        in.skipBytes(1);
        if (in.readUnsignedByte() != 0) {
            throw new ParentException(Why.LOGIN, "does not take these credentials");
        }
        state = State.REPLY;
        return request();
    }

    private byte[] request() {
        boolean named = target.isUnresolved();
        byte[] address = named
                ? target.getHostString().getBytes(StandardCharsets.US_ASCII)
                : target.getAddress().getAddress();
        int head = named ? 5 : 4;
        byte[] request = new byte[head + address.length + 2];
        request[0] = VERSION;
        request[1] = CONNECT;
        request[3] = (byte) (named ? NAME : address.length == 4 ? IPV4 : IPV6);
        if (named) {
            request[4] = (byte) address.length; // a canonical name has at most 253 bytes
        }
        System.arraycopy(address, 0, request, head, address.length);
        request[request.length - 2] = (byte) (target.getPort() >>> 8);
        request[request.length - 1] = (byte) target.getPort();
        return request;
    }

    private byte[] reply(ByteBuf in) throws ParentException {
        requireVersion(in, VERSION);
        if (in.readableBytes() < 2) {
            return NOTHING;
        }
        int code = in.getUnsignedByte(in.readerIndex() + 1);
        if (code != 0) {
            throw failure(code);
        }
        if (in.readableBytes() < 5) {
            return NOTHING;
        }
        int length = switch (in.getUnsignedByte(in.readerIndex() + 3)) {
            case IPV4 -> 4 + 4 + 2;
            case IPV6 -> 4 + 16 + 2;
            case NAME -> 4 + 1 + in.getUnsignedByte(in.readerIndex() + 4) + 2;
            default -> throw new ParentException(Why.BROKEN, "answered with an address of an unknown kind");
        };
        if (in.readableBytes() >= length) {
            in.skipBytes(length);
            state = State.DONE;
        }
        return NOTHING;
    }

    private static void requireVersion(ByteBuf in, int version) throws ParentException {
        if (in.isReadable() && in.getUnsignedByte(in.readerIndex()) != version) {
            throw new ParentException(Why.BROKEN, "answered with something that is not SOCKS 5");
        }
    }

    /** Describes a reply code (RFC 1928, 6). */
    private static ParentException failure(int code) {
        return switch (code) {
            case 1 -> new ParentException(Why.UNREACHABLE, "answered 1: general failure");
            case 2 -> new ParentException(Why.REFUSED, "answered 2: not allowed by its rules");
            case 3 -> new ParentException(Why.UNREACHABLE, "answered 3: network unreachable");
            case 4 -> new ParentException(Why.UNREACHABLE, "answered 4: host unreachable");
            case 5 -> new ParentException(Why.UNREACHABLE, "answered 5: connection refused");
            case 6 -> new ParentException(Why.UNREACHABLE, "answered 6: TTL expired");
            case 7 -> new ParentException(Why.REFUSED, "answered 7: command not supported");
            case 8 -> new ParentException(Why.UNREACHABLE, "answered 8: kind of address not supported");
            default -> new ParentException(Why.REFUSED, "answered " + code);
        };
    }
}
