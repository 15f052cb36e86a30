package dev.sallyport.core.net;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What a ClientHello (RFC 8446, 4.1.2) says before the handshake.
 *
 * @param serverName the name of the server_name extension (RFC 6066, 3) as sent, or null
 */
record ClientHello(@Nullable String serverName) {

    private static final int VERSION_AND_RANDOM = 34;
    private static final int SERVER_NAME = 0;
    private static final int HOST_NAME = 0;

    /** The bytes are no ClientHello. */
    static final class MalformedException extends Exception {

        private static final long serialVersionUID = 1L;

        MalformedException(String message) {
            super(message, null, false, false);
        }
    }

    /**
     * Takes the body of a handshake message of type client_hello apart.
     *
     * @throws MalformedException when a length leads beyond its end, or an extension comes twice
     */
    static ClientHello parse(ByteBuf body) throws MalformedException {
        try {
            body.skipBytes(VERSION_AND_RANDOM);
            body.skipBytes(body.readUnsignedByte());
            body.skipBytes(body.readUnsignedShort());
            body.skipBytes(body.readUnsignedByte());
            if (!body.isReadable()) {
                return new ClientHello(null);
            }
            int length = body.readUnsignedShort();
            if (length != body.readableBytes()) {
                throw new MalformedException("the extensions of the ClientHello have a wrong length");
            }
            return new ClientHello(extensions(body));
        } catch (IndexOutOfBoundsException e) {
            throw new MalformedException("the ClientHello ends within a field");
        }
    }

    private static @Nullable String extensions(ByteBuf in) throws MalformedException {
        String name = null;
        boolean seen = false;
        while (in.isReadable()) {
            int type = in.readUnsignedShort();
            ByteBuf extension = in.readSlice(in.readUnsignedShort());
            if (type == SERVER_NAME) {
                if (seen) {
                    throw new MalformedException("the ClientHello has two server_name extensions");
                }
                seen = true;
                name = serverName(extension);
            }
        }
        return name;
    }

    private static String serverName(ByteBuf extension) throws MalformedException {
        ByteBuf list = extension.readSlice(extension.readUnsignedShort());
        int type = list.readUnsignedByte();
        ByteBuf name = list.readSlice(list.readUnsignedShort());
        if (type != HOST_NAME || list.isReadable() || extension.isReadable()) {
            throw new MalformedException("the server_name extension is not one host name");
        }
        return name.toString(StandardCharsets.ISO_8859_1);
    }
}
