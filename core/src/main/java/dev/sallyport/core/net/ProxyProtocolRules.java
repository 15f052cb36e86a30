package dev.sallyport.core.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Rejects PROXY protocol headers that Netty's decoder accepts although the protocol forbids them: numbers with leading
 * zeros, which other parsers read differently, extensions that do not fill their length, and wrong checksums. The
 * content of a LOCAL header must be discarded (2.2), so it is not checked. Reads without consuming.
 */
final class ProxyProtocolRules {

    private static final byte[] SIGNATURE = "\r\n\r\n\0\r\nQUIT\n".getBytes(StandardCharsets.ISO_8859_1);
    private static final int LONGEST_V1 = 107;
    private static final int V2_START = 16;
    private static final int PROXY_V2 = 0x21;
    private static final int CHECKSUM = 0x03;
    private static final int CHECKSUM_BYTES = 4;
    private static final int SSL = 0x20;
    private static final int SSL_START = 5;
    private static final int EXTENSION_START = 3;

    private static final String NUMBER = "(0|[1-9][0-9]{0,4})";
    private static final String OCTET = "(0|[1-9][0-9]{0,2})";
    private static final String V4 = OCTET + "(\\." + OCTET + "){3}";
    private static final String V6 = "[0-9A-Fa-f:.]+";
    private static final Pattern V1 = Pattern.compile("PROXY (UNKNOWN( .*)?|TCP4 " + V4 + " " + V4 + " " + NUMBER + " "
            + NUMBER + "|TCP6 " + V6 + " " + V6 + " " + NUMBER + " " + NUMBER + ")");

    private ProxyProtocolRules() {}

    /** The fault of the header that begins here; null while there is none, or the header is incomplete. */
    static @Nullable String fault(ByteBuf in) {
        if (!in.isReadable()) {
            return null;
        }
        return in.getByte(in.readerIndex()) == SIGNATURE[0] ? faultOfV2(in) : faultOfV1(in);
    }

    private static @Nullable String faultOfV1(ByteBuf in) {
        int start = in.readerIndex();
        int end = in.indexOf(start, Math.min(in.writerIndex(), start + LONGEST_V1), (byte) '\r');
        if (end < 0) {
            return null; // incomplete, or too long, which the decoder sees
        }
        String line = in.toString(start, end - start, StandardCharsets.ISO_8859_1);
        return V1.matcher(line).matches()
                ? null
                : "a header of the PROXY protocol that is not of the form of version 1";
    }

    private static @Nullable String faultOfV2(ByteBuf in) {
        int start = in.readerIndex();
        if (in.readableBytes() < V2_START || in.getUnsignedByte(start + SIGNATURE.length) != PROXY_V2) {
            return null;
        }
        int end = start + V2_START + in.getUnsignedShort(start + SIGNATURE.length + 2);
        if (end > in.writerIndex()) {
            return null;
        }
        int addresses = addressBytes(in.getUnsignedByte(start + SIGNATURE.length + 1) >> 4);
        if (addresses < 0) {
            return null;
        }
        int extensions = start + V2_START + addresses;
        if (!extensionsFill(in, extensions, end)) {
            return "a header of the PROXY protocol whose extensions do not fill their place";
        }
        return checksumHolds(in, start, extensions, end)
                ? null
                : "a header of the PROXY protocol whose CRC32C is not that of its bytes";
    }

    /** Whether there is no checksum, or one, which is that of the header with zeros in its place (2.2.3). */
    private static boolean checksumHolds(ByteBuf in, int start, int extensions, int end) {
        int found = -1;
        for (int at = extensions; at < end; at += EXTENSION_START + in.getUnsignedShort(at + 1)) {
            if (in.getUnsignedByte(at) == CHECKSUM) {
                if (found >= 0 || in.getUnsignedShort(at + 1) != CHECKSUM_BYTES) {
                    return false;
                }
                found = at + EXTENSION_START;
            }
        }
        if (found < 0) {
            return true;
        }
        byte[] header = ByteBufUtil.getBytes(in, start, end - start);
        Arrays.fill(header, found - start, found - start + CHECKSUM_BYTES, (byte) 0);
        CRC32C sum = new CRC32C();
        sum.update(header);
        return (int) sum.getValue() == in.getInt(found);
    }

    /** The length of the addresses of a family; -1 where the protocol does not define it. */
    private static int addressBytes(int family) {
        return switch (family) {
            case 1 -> 12;
            case 2 -> 36;
            case 3 -> 216;
            default -> -1;
        };
    }

    private static boolean extensionsFill(ByteBuf in, int from, int to) {
        int at = from;
        while (at < to) {
            if (to - at < EXTENSION_START) {
                return false;
            }
            int value = at + EXTENSION_START;
            int next = value + in.getUnsignedShort(at + 1);
            if (next > to) {
                return false;
            }
            if (in.getUnsignedByte(at) == SSL
                    && (next - value < SSL_START || !extensionsFill(in, value + SSL_START, next))) {
                return false;
            }
            at = next;
        }
        return at == to;
    }
}
