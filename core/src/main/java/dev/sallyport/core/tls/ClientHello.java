package dev.sallyport.core.tls;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a ClientHello (RFC 8446, 4.1.2) that are needed before the handshake.
 *
 * @param version legacy_version
 * @param serverName the name of the server_name extension (RFC 6066, 3) as sent, or null
 * @param ech whether there is an extension encrypted_client_hello (RFC 9849); clients without ECH send random ones
 */
public record ClientHello(int version, @Nullable String serverName, boolean ech) {

    private static final int RANDOM = 32;
    private static final int SERVER_NAME = 0;
    private static final int ENCRYPTED_CLIENT_HELLO = 0xfe0d;
    private static final int HOST_NAME = 0;

    /** The bytes are not a ClientHello. */
    public static final class MalformedException extends Exception {

        private static final long serialVersionUID = 1L;

        MalformedException(String message) {
            super(message, null, false, false);
        }
    }

    /**
     * Parses the body of a handshake message of type client_hello.
     *
     * @throws MalformedException when a length exceeds the message, or an extension is repeated
     */
    static ClientHello parse(ByteBuf body) throws MalformedException {
        try {
            int version = body.readUnsignedShort();
            body.skipBytes(RANDOM);
            body.skipBytes(body.readUnsignedByte());
            body.skipBytes(body.readUnsignedShort());
            body.skipBytes(body.readUnsignedByte());
            if (!body.isReadable()) {
                return new ClientHello(version, null, false);
            }
            int length = body.readUnsignedShort();
            if (length != body.readableBytes()) {
                throw new MalformedException("the extensions of the ClientHello have a wrong length");
            }
            return extensions(version, body);
        } catch (IndexOutOfBoundsException e) {
            throw new MalformedException("the ClientHello ends within a field");
        }
    }

    private static ClientHello extensions(int version, ByteBuf in) throws MalformedException {
        String name = null;
        boolean seen = false;
        boolean ech = false;
        while (in.isReadable()) {
            int type = in.readUnsignedShort();
            ByteBuf extension = in.readSlice(in.readUnsignedShort());
            if (type == SERVER_NAME) {
                if (seen) {
                    throw new MalformedException("the ClientHello has two server_name extensions");
                }
                seen = true;
                name = serverName(extension);
            } else if (type == ENCRYPTED_CLIENT_HELLO) {
                ech = true;
            }
        }
        return new ClientHello(version, name, ech);
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
