package dev.sallyport.toolkit.coding;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/** {@code gzip} (RFC 1952), any number of members. */
final class GzipDecoder implements Decoder {

    private static final int HEADER_CHECKSUM = 2;
    private static final int EXTRA = 4;
    private static final int NAME = 8;
    private static final int COMMENT = 16;
    private static final int RESERVED = 0xe0;

    private final CRC32 dataChecksum = new CRC32();
    private final CRC32 headerChecksum = new CRC32();
    private final InflateStream stream = new InflateStream(Coding.GZIP, true, dataChecksum);
    private State state = State.START;
    private int flags;
    private int count;
    private long number;
    private long members;
    private boolean freeText;

    /** The part of a member to which the next byte belongs. */
    private enum State {
        START,
        FIXED,
        EXTRA_LENGTH,
        EXTRA_DATA,
        NAME_TEXT,
        COMMENT_TEXT,
        CHECKSUM,
        DATA,
        TRAILER
    }

    @Override
    public void write(ByteBuffer in, Output out) {
        while (in.hasRemaining()) {
            if (state == State.DATA) {
                if (stream.write(in, out)) {
                    enter(State.TRAILER);
                }
            } else if (state == State.TRAILER) {
                trailer(in.get() & 0xff);
            } else {
                header(in.get() & 0xff);
            }
        }
    }

    @Override
    public void end(Output out) {
        if (state != State.START) {
            throw CodingException.truncated(Coding.GZIP);
        }
    }

    @Override
    public boolean hasFreeText() {
        return freeText;
    }

    @Override
    public void close() {
        stream.close();
    }

    private void enter(State next) {
        state = next;
        count = 0;
        number = 0;
    }

    private void header(int value) {
        if (state != State.CHECKSUM) {
            headerChecksum.update(value);
        }
        switch (state) {
            case START, FIXED -> fixed(value);
            case EXTRA_LENGTH -> {
                number |= (long) value << (8 * count++);
                if (count == 2) {
                    state = State.EXTRA_DATA;
                    if (number == 0) {
                        after(EXTRA);
                    }
                }
            }
            case EXTRA_DATA -> {
                if (--number == 0) {
                    after(EXTRA);
                }
            }
            case NAME_TEXT -> {
                if (value == 0) {
                    after(NAME);
                }
            }
            case COMMENT_TEXT -> {
                if (value == 0) {
                    after(COMMENT);
                }
            }
            case CHECKSUM -> {
                number |= (long) value << (8 * count++);
                if (count == 2) {
                    if (number != (headerChecksum.getValue() & 0xffff)) {
                        throw CodingException.corrupt(Coding.GZIP, "wrong header checksum");
                    }
                    after(HEADER_CHECKSUM);
                }
            }
            case DATA, TRAILER -> throw new IllegalStateException("no header state");
        }
    }

    private void fixed(int value) {
        switch (count) {
            case 0 -> {
                if (value != 0x1f) {
                    throw members == 0
                            ? CodingException.corrupt(Coding.GZIP, "not a gzip header")
                            : CodingException.trailing(Coding.GZIP);
                }
                state = State.FIXED;
            }
            case 1 -> {
                if (value != 0x8b && members > 0) {
                    throw CodingException.trailing(Coding.GZIP);
                }
                require(value == 0x8b, "not a gzip header");
            }
            case 2 -> require(value == 8, "unknown compression method");
            case 3 -> {
                require((value & RESERVED) == 0, "reserved header flags are set");
                flags = value;
                freeText |= (flags & (EXTRA | NAME | COMMENT)) != 0;
            }
            default -> {}
        }
        if (++count == 10) {
            after(0);
        }
    }

    /** Goes on to the next part of the header that the flags name, after the one with the given flag. */
    private void after(int done) {
        if (done < EXTRA && done != HEADER_CHECKSUM && (flags & EXTRA) != 0) {
            enter(State.EXTRA_LENGTH);
        } else if (done < NAME && done != HEADER_CHECKSUM && (flags & NAME) != 0) {
            enter(State.NAME_TEXT);
        } else if (done < COMMENT && done != HEADER_CHECKSUM && (flags & COMMENT) != 0) {
            enter(State.COMMENT_TEXT);
        } else if (done != HEADER_CHECKSUM && (flags & HEADER_CHECKSUM) != 0) {
            enter(State.CHECKSUM);
        } else {
            enter(State.DATA);
        }
    }

    private void trailer(int value) {
        number |= (long) value << (8 * count++);
        if (count == 8) {
            require((number & 0xffff_ffffL) == dataChecksum.getValue(), "wrong data checksum");
            require(number >>> 32 == (stream.written() & 0xffff_ffffL), "wrong data length");
            members++;
            stream.reset();
            dataChecksum.reset();
            headerChecksum.reset();
            enter(State.START);
        }
    }

    private static void require(boolean right, String otherwise) {
        if (!right) {
            throw CodingException.corrupt(Coding.GZIP, otherwise);
        }
    }
}
