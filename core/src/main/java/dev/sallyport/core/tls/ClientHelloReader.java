package dev.sallyport.core.tls;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * Assembles a ClientHello from any number of TLS records and segments without consuming them, because the handshake
 * reads them again. Copies each byte once. Must be closed.
 */
public final class ClientHelloReader implements AutoCloseable {

    private static final int RECORD_HEADER = 5;
    private static final int MAX_RECORD = 16 * 1024;
    private static final int MAX_RECORDS = 1024;
    private static final int HANDSHAKE_HEADER = 4;
    private static final int HANDSHAKE = 22;
    private static final int CLIENT_HELLO = 1;

    private final ByteBuf message;
    private final int maxBytes;
    private int records;
    private int offset;

    public ClientHelloReader(ByteBufAllocator allocator, int maxBytes) {
        this.maxBytes = maxBytes;
        message = allocator.buffer(512);
    }

    /**
     * Continues reading; {@code in} always begins at the first byte of the connection.
     *
     * @return null when more is needed
     */
    public @Nullable ClientHello read(ByteBuf in) throws ClientHello.MalformedException {
        while (in.readableBytes() - offset >= RECORD_HEADER) {
            int at = in.readerIndex() + offset;
            if (in.getUnsignedByte(at) != HANDSHAKE || in.getUnsignedByte(at + 1) != 3) {
                throw new ClientHello.MalformedException("not a TLS handshake");
            }
            int length = in.getUnsignedShort(at + 3);
            if (length == 0 || length > MAX_RECORD || ++records > MAX_RECORDS) {
                throw new ClientHello.MalformedException("a TLS record has a wrong length");
            }
            if (in.readableBytes() - offset < RECORD_HEADER + length) {
                records--;
                return null;
            }
            message.writeBytes(in, at + RECORD_HEADER, length);
            offset += RECORD_HEADER + length;
            if (message.readableBytes() >= HANDSHAKE_HEADER) {
                ClientHello hello = complete();
                if (hello != null) {
                    return hello;
                }
            }
        }
        if (in.readableBytes() > offset && in.getUnsignedByte(in.readerIndex() + offset) != HANDSHAKE) {
            throw new ClientHello.MalformedException("not a TLS handshake");
        }
        return null;
    }

    private @Nullable ClientHello complete() throws ClientHello.MalformedException {
        if (message.getUnsignedByte(0) != CLIENT_HELLO) {
            throw new ClientHello.MalformedException("the TLS handshake does not begin with a ClientHello");
        }
        int length = message.getUnsignedMedium(1);
        if (length > maxBytes) {
            throw new ClientHello.MalformedException("the ClientHello is too long");
        }
        if (message.readableBytes() < HANDSHAKE_HEADER + length) {
            return null;
        }
        return ClientHello.parse(message.slice(HANDSHAKE_HEADER, length));
    }

    @Override
    public void close() {
        message.release();
    }
}
