package dev.sallyport.core.audit;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The initial facts of one record, encoded in a bounded number of bytes. Texts that do not fit are cut; the path comes
 * last and is cut first. Reusable by one thread; writing allocates nothing but the client's address.
 */
final class InFlightEntry {

    /** The maximum length. */
    static final int BYTES = 496;

    private static final int LENGTH_BYTES = 2;

    /** Leaves room for the length of every text. */
    private static final int RESERVE = 9 * LENGTH_BYTES;

    private static final int SHORT_TEXT = 32;
    private static final int ID_TEXT = 64;
    private static final int WORKLOAD_TEXT = 128;
    private static final int HOST_TEXT = 255;
    private static final int TARGET_TEXT = HOST_TEXT + ":65535".length();
    private static final int REPLACEMENT = 0xFFFD;
    private static final int LONGEST_CHARACTER = 4;

    /** Flags. */
    private static final int FLAGS_AT = 0;

    private static final int CUT = 1;
    private static final int SNI_IS_HOST = 2;

    private static final byte[] NO_ADDRESS = {};

    private final byte[] bytes = new byte[BYTES];
    private final ByteBuffer buffer = ByteBuffer.wrap(bytes);
    private final CRC32C sum = new CRC32C();

    /** Encodes a record's initial facts, and returns the length. */
    int take(AuditRecord record) {
        boolean sniIsHost = record.sni.equals(record.host);
        buffer.clear();
        buffer.put((byte) (sniIsHost ? SNI_IS_HOST : 0))
                .putLong(record.startMillis)
                .putShort((short) record.port);
        InetSocketAddress client = record.remoteAddr;
        byte[] address = client == null || client.getAddress() == null
                ? NO_ADDRESS
                : client.getAddress().getAddress();
        buffer.put((byte) address.length).put(address);
        buffer.putShort((short) (client == null ? 0 : client.getPort()));
        text(record.exchangeId, ID_TEXT);
        text(record.method, SHORT_TEXT);
        text(record.protocol, SHORT_TEXT);
        text(record.mode, SHORT_TEXT);
        text(record.host, HOST_TEXT);
        text(record.workload, WORKLOAD_TEXT);
        text(sniIsHost ? "" : record.sni, HOST_TEXT);
        text(record.tunnelTarget == null ? "" : record.tunnelTarget, TARGET_TEXT);
        text(record.path, BYTES);
        return buffer.position();
    }

    /** The encoded bytes. */
    byte[] bytes() {
        return bytes;
    }

    /** The checksum of this many of its bytes. */
    int sum(int length) {
        sum.reset();
        sum.update(bytes, 0, length);
        return (int) sum.getValue();
    }

    /** Appends a text in UTF-8, as far as there is room. */
    private void text(String text, int most) {
        int lengthAt = buffer.position();
        int from = lengthAt + LENGTH_BYTES;
        int end = from + Math.min(most, BYTES - from - RESERVE);
        int to = from;
        int i = 0;
        while (i < text.length() && to < end) {
            char c = text.charAt(i);
            if (c < 0x80) {
                bytes[to++] = (byte) c;
                i++;
            } else if (to + LONGEST_CHARACTER > end) {
                break;
            } else {
                int character = text.codePointAt(i);
                to = wide(character, to);
                i += Character.charCount(character);
            }
        }
        if (i < text.length()) {
            bytes[FLAGS_AT] = (byte) (bytes[FLAGS_AT] | CUT);
        }
        buffer.putShort(lengthAt, (short) (to - from)).position(to);
    }

    /** Appends a character of more than one byte; an unpaired surrogate is replaced. */
    private int wide(int character, int at) {
        int to = at;
        int c = character >= Character.MIN_SURROGATE && character <= Character.MAX_SURROGATE ? REPLACEMENT : character;
        if (c < 0x800) {
            bytes[to++] = (byte) (0xC0 | (c >> 6));
        } else {
            if (c < 0x1_0000) {
                bytes[to++] = (byte) (0xE0 | (c >> 12));
            } else {
                bytes[to++] = (byte) (0xF0 | (c >> 18));
                bytes[to++] = (byte) (0x80 | ((c >> 12) & 0x3F));
            }
            bytes[to++] = (byte) (0x80 | ((c >> 6) & 0x3F));
        }
        bytes[to++] = (byte) (0x80 | (c & 0x3F));
        return to;
    }

    /** Whether some text of an entry was cut. */
    static boolean isCut(ByteBuffer entry) {
        return (entry.get(FLAGS_AT) & CUT) != 0;
    }

    /** Decodes an entry to its record; null when it is not an entry. */
    static @Nullable MutableAuditRecord record(ByteBuffer entry) {
        try {
            boolean sniIsHost = (entry.get(FLAGS_AT) & SNI_IS_HOST) != 0;
            ByteBuffer from = entry.duplicate().position(FLAGS_AT + 1);
            long start = from.getLong();
            int port = Short.toUnsignedInt(from.getShort());
            byte[] address = new byte[Byte.toUnsignedInt(from.get())];
            from.get(address);
            int clientPort = Short.toUnsignedInt(from.getShort());
            MutableAuditRecord record = new MutableAuditRecord(text(from), start)
                    .port(port)
                    .method(text(from))
                    .protocol(text(from))
                    .mode(text(from))
                    .host(text(from))
                    .workload(text(from));
            String sni = text(from);
            String target = text(from);
            record.sni(sniIsHost ? record.host : sni).path(text(from));
            if (!target.isEmpty()) {
                record.tunnelTarget(target);
            }
            if (address.length > 0) {
                record.remoteAddr(new InetSocketAddress(InetAddress.getByAddress(address), clientPort));
            }
            return record;
        } catch (BufferUnderflowException | UnknownHostException e) {
            return null; // The checksum is valid but the version is unknown.
        }
    }

    private static String text(ByteBuffer from) {
        byte[] text = new byte[Short.toUnsignedInt(from.getShort())];
        from.get(text);
        return new String(text, StandardCharsets.UTF_8);
    }
}
