package dev.sallyport.core.net.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.util.ByteProcessor;

/**
 * Finds HTTP and TLS at the beginning of what a client sends where other TCP is relayed. Servers of these mind neither what
 * they may have said before nor empty lines (RFC 9112, 2.2), and some of TLS still take the ClientHello of SSL 2.0 (RFC 5246,
 * E.2): so none of these leads a request past those who judge requests.
 *
 * <p>What servers agree on with their clients is not found: TLS after STARTTLS, or whatever follows other first bytes.
 */
final class RequestWatch implements ByteProcessor {

    private static final int HANDSHAKE = 22;
    private static final int TLS_MAJOR = 3;
    private static final int CLIENT_HELLO = 1;

    /** What is between the major version of a record and its content. A packet of MySQL may begin as a record does. */
    private static final int REST_OF_HEAD = 3;

    private static final int SSL2_LENGTH = 0x80;
    private static final int LONGEST_METHOD = 24;

    /** {@code http/} and {@code .}, with any digits around it. */
    private static final long HTTP_VERSION = 0x687474702F002E00L;

    private static final long DIGITS = 0xFFFFFFFFFF00FF00L;

    private enum State {
        START,
        VERSION,
        RECORD,
        SSL2_LENGTH,
        SSL2_TYPE,
        SSL2_VERSION,
        METHOD,
        LINE,
        REQUEST,
        OTHER
    }

    private State state = State.START;
    private int head;
    private int method;

    /** The last bytes of the last word of a line, in lower case. */
    private long word;

    private boolean blank;

    /** Looks without consuming. Returns whether a request has begun; once it has, it stays so. */
    boolean sees(ByteBuf data) {
        if (!isSettled()) {
            data.forEachByte(this);
        }
        return state == State.REQUEST;
    }

    private boolean isSettled() {
        return state == State.REQUEST || state == State.OTHER;
    }

    @Override
    public boolean process(byte value) {
        int b = value & 0xFF;
        state = switch (state) {
            case START -> start(b);
            case VERSION -> b == TLS_MAJOR ? State.RECORD : State.OTHER;
            case RECORD -> record(b);
            case SSL2_LENGTH -> State.SSL2_TYPE;
            case SSL2_TYPE -> b == CLIENT_HELLO ? State.SSL2_VERSION : State.OTHER;
            case SSL2_VERSION -> b == TLS_MAJOR ? State.REQUEST : State.OTHER;
            case METHOD -> method(b);
            case LINE -> line(b);
            case REQUEST, OTHER -> state;
        };
        return !isSettled();
    }

    private State start(int b) {
        if (isEnd(b)) {
            return State.START;
        }
        if (b == HANDSHAKE) {
            return State.VERSION;
        }
        return (b & SSL2_LENGTH) == 0 ? method(b) : State.SSL2_LENGTH;
    }

    /** An empty record precedes another one. */
    private State record(int b) {
        if (head++ < REST_OF_HEAD) {
            return State.RECORD;
        }
        return b == CLIENT_HELLO || b == HANDSHAKE ? State.REQUEST : State.OTHER;
    }

    private State method(int b) {
        if (isBlank(b) && method > 0) {
            return State.LINE;
        }
        return isToken(b) && ++method <= LONGEST_METHOD ? State.METHOD : State.OTHER;
    }

    private State line(int b) {
        if (isEnd(b)) {
            return (word & DIGITS) == HTTP_VERSION ? State.REQUEST : State.OTHER;
        }
        if (isBlank(b)) {
            blank = true;
            return State.LINE;
        }
        word = (blank ? 0 : word << Byte.SIZE) | (b >= 'A' && b <= 'Z' ? b + ('a' - 'A') : b);
        blank = false;
        return b < ' ' ? State.OTHER : State.LINE;
    }

    private static boolean isEnd(int b) {
        return b == '\r' || b == '\n';
    }

    private static boolean isBlank(int b) {
        return b == ' ' || b == '\t';
    }

    /** RFC 9110, 5.6.2. */
    private static boolean isToken(int b) {
        return (b >= 'A' && b <= 'Z')
                || (b >= 'a' && b <= 'z')
                || (b >= '0' && b <= '9')
                || (b > ' ' && b < 0x7F && "!#$%&'*+-.^_`|~".indexOf(b) >= 0);
    }
}
