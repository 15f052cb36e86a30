package dev.sallyport.conformance.mcp;

import static dev.sallyport.conformance.mcp.Attempt.Refusal.DENIED;
import static dev.sallyport.conformance.mcp.Attempt.Refusal.REFUSED;
import static dev.sallyport.conformance.mcp.Attempt.Refusal.UNREADABLE;
import static dev.sallyport.conformance.mcp.Attempt.post;
import static dev.sallyport.conformance.mcp.EnvelopeAttempts.WIPE;

import com.aayushatharva.brotli4j.Brotli4jLoader;
import com.aayushatharva.brotli4j.encoder.Encoder;
import com.github.luben.zstd.Zstd;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;

/** Calls that are hidden in how the bytes of a body are to be read: syntax, charsets, content codings, media types. */
final class CodingAttempts {

    private static final String PING = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";

    private CodingAttempts() {}

    private interface Coding {
        OutputStream open(OutputStream out) throws IOException;
    }

    private static byte[] coded(byte[] plain, Coding coding) {
        ByteArrayOutputStream coded = new ByteArrayOutputStream();
        try (OutputStream out = coding.open(coded)) {
            out.write(plain);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return coded.toByteArray();
    }

    static byte[] gzip(byte[] plain) {
        return coded(plain, GZIPOutputStream::new);
    }

    static byte[] brotli(byte[] plain) {
        Brotli4jLoader.ensureAvailability();
        try {
            return Encoder.compress(plain);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] in(String charset, String text) {
        return text.getBytes(Charset.forName(charset));
    }

    private static byte[] marked(int... mark) {
        byte[] bytes = new byte[mark.length];
        for (int i = 0; i < mark.length; i++) {
            bytes[i] = (byte) mark[i];
        }
        return bytes;
    }

    /** Every character of it in UTF-7's Base64. */
    private static String shifted(String text) {
        String coded = Base64.getEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_16BE));
        return "+" + coded + "-";
    }

    static final List<Attempt> SYNTAX = List.of(
            post("second document", PING + WIPE, UNREADABLE),
            post("second document on a line of its own", PING + "\n" + WIPE, UNREADABLE),
            post("second document behind a NUL", PING + "\0" + WIPE, UNREADABLE),
            post("second document behind a record separator", PING + "\u001e" + WIPE, UNREADABLE),
            post("record separator before", "\u001e" + WIPE, REFUSED),
            post("prefix against script inclusion", ")]}',\n" + WIPE, REFUSED),
            post("NUL before", "\0" + WIPE, REFUSED),
            post("vertical tab before", "\u000b" + WIPE, REFUSED),
            post("form feed before", "\f" + WIPE, REFUSED),
            post("no-break space before", "\u00a0" + WIPE, REFUSED),
            post("line separator before", "\u2028" + WIPE, REFUSED),
            post("event stream", "data: " + WIPE + "\n\n", REFUSED),
            post("comment before", "/* */" + WIPE, REFUSED),
            post("line comment before", "// x\n" + WIPE, REFUSED),
            post("hash comment before", "# x\n" + WIPE, REFUSED),
            post("comment within", WIPE.replace("\"method\"", "/*\"method\":\"ping\",*/\"method\""), UNREADABLE),
            post("line comment within", WIPE.replace("\"method\"", "//\"method\":\"ping\",\n\"method\""), UNREADABLE),
            post("single quotes", WIPE.replace('"', '\''), UNREADABLE),
            post("bare names", WIPE.replace("\"method\"", "method"), UNREADABLE),
            post("comma too many", WIPE.replace("{}}}", "{}},}"), UNREADABLE),
            post("NaN", WIPE.replace("\"arguments\":{}", "\"arguments\":{\"a\":NaN}"), UNREADABLE),
            post("Infinity", WIPE.replace("\"arguments\":{}", "\"arguments\":{\"a\":-Infinity}"), UNREADABLE),
            post("leading plus", WIPE.replace("\"id\":7", "\"id\":+7"), UNREADABLE),
            post("leading zero", WIPE.replace("\"id\":7", "\"id\":07"), UNREADABLE),
            post("unknown escape", WIPE.replace("tools/call", "tools\\x2fcall"), UNREADABLE),
            post("raw line end in a string", WIPE.replace("tools/call", "tools/\ncall"), UNREADABLE),
            post("raw NUL in a string", WIPE.replace("tools/call", "tools/call\0"), UNREADABLE),
            post("object that does not end", WIPE.substring(0, WIPE.length() - 1), UNREADABLE),
            post("too deep", WIPE.replace("{}}}", "[".repeat(20_000) + "]".repeat(20_000) + "}}"), UNREADABLE),
            post("over the cap", WIPE.replace("{}}}", "{\"a\":\"" + "a".repeat(2 << 20) + "\"}}}"), REFUSED),
            post("over the cap with white space before", " ".repeat(2 << 20) + WIPE, REFUSED));

    static final List<Attempt> CHARSETS = List.of(
            post("byte order mark", "\ufeff" + WIPE, REFUSED),
            post("two byte order marks", "\ufeff\ufeff" + WIPE, REFUSED),
            post("UTF-16LE with a mark", Wire.join(marked(0xff, 0xfe), in("UTF-16LE", WIPE)), REFUSED),
            post("UTF-16BE with a mark", Wire.join(marked(0xfe, 0xff), in("UTF-16BE", WIPE)), REFUSED),
            post("UTF-16LE", in("UTF-16LE", WIPE), REFUSED),
            post("UTF-16BE", in("UTF-16BE", WIPE), REFUSED),
            post("UTF-16LE, declared", in("UTF-16LE", WIPE), REFUSED)
                    .header("Content-Type", "application/json; charset=utf-16le"),
            post("UTF-16BE behind white space", in("UTF-16BE", "\u2028 " + WIPE), REFUSED)
                    .header("Content-Type", "application/json; charset=utf-16be"),
            post("UTF-32LE with a mark", Wire.join(marked(0xff, 0xfe, 0, 0), in("UTF-32LE", WIPE)), REFUSED),
            post("UTF-32BE with a mark", Wire.join(marked(0, 0, 0xfe, 0xff), in("UTF-32BE", WIPE)), REFUSED),
            post("UTF-32LE", in("UTF-32LE", WIPE), REFUSED),
            post("UTF-32BE", in("UTF-32BE", WIPE), REFUSED),
            post("UTF-7", shifted(WIPE), REFUSED).header("Content-Type", "application/json; charset=utf-7"),
            post(
                            "UTF-7 within",
                            PING.replace(
                                    "ping\"",
                                    "ping"
                                            + shifted(
                                                    "\",\"method\":\"tools/call\",\"params\":{\"name\":\"wipe\"},\"x\":\"")
                                            + "\""),
                            REFUSED)
                    .header("Content-Type", "application/json; charset=UTF-7"),
            post("EBCDIC", in("IBM037", WIPE), REFUSED).header("Content-Type", "application/json; charset=ibm037"),
            post("EBCDIC, quoted parameter", in("IBM037", WIPE), REFUSED)
                    .header("Content-Type", "application/json; Charset=\"cp037\""),
            post("Latin-1 that is no UTF-8", in("ISO-8859-1", EnvelopeAttempts.call("wipe\u00a0")), REFUSED),
            post("overlong name", overlong("wipe"), REFUSED),
            post(
                    "overlong quotation mark",
                    Wire.join(
                            Wire.bytes("{\"jsonrpc\":\"2.0\",\"id\":7,\"x\":\"a"),
                            marked(0xc0, 0xa2),
                            Wire.bytes(
                                    ",\\\"method\\\":1\",\"method\":\"tools/call\",\"params\":{\"name\":\"wipe\"}}")),
                    UNREADABLE),
            post(
                    "surrogates in UTF-8",
                    Wire.join(
                            Wire.bytes(
                                    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"wipe"),
                            marked(0xed, 0xa0, 0x80),
                            Wire.bytes("\"}}")),
                    REFUSED),
            post("UTF-8 that breaks off", Wire.join(Wire.bytes(WIPE), marked(0xe2, 0x80)), UNREADABLE));

    private static byte[] overlong(String tool) {
        byte[] start = Wire.bytes("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"");
        ByteArrayOutputStream name = new ByteArrayOutputStream();
        tool.chars().forEach(c -> name.writeBytes(marked(0xc0 | (c >> 6), 0x80 | (c & 0x3f))));
        return Wire.join(start, name.toByteArray(), Wire.bytes("\"}}"));
    }

    private static final byte[] WIPE_BYTES = Wire.bytes(WIPE);

    static final List<Attempt> CODINGS = List.of(
            post("gzip", gzip(WIPE_BYTES), DENIED).line("Content-Encoding: gzip"),
            post("x-gzip", gzip(WIPE_BYTES), REFUSED).line("Content-Encoding: x-gzip"),
            post("GZIP", gzip(WIPE_BYTES), REFUSED).line("Content-Encoding: GZIP"),
            post("deflate", coded(WIPE_BYTES, DeflaterOutputStream::new), DENIED)
                    .line("Content-Encoding: deflate"),
            post(
                            "deflate without its frame",
                            coded(WIPE_BYTES, out -> new DeflaterOutputStream(out, new Deflater(9, true))),
                            REFUSED)
                    .line("Content-Encoding: deflate"),
            post("brotli", brotli(WIPE_BYTES), DENIED).line("Content-Encoding: br"),
            post("zstd", Zstd.compress(WIPE_BYTES), REFUSED).line("Content-Encoding: zstd"),
            post("gzip twice", gzip(gzip(WIPE_BYTES)), REFUSED).line("Content-Encoding: gzip, gzip"),
            post("gzip on two lines", gzip(gzip(WIPE_BYTES)), REFUSED)
                    .line("Content-Encoding: gzip")
                    .line("Content-Encoding: gzip"),
            post("brotli of gzip", brotli(gzip(WIPE_BYTES)), REFUSED).line("Content-Encoding: gzip, br"),
            post("two members of gzip", Wire.join(gzip(Wire.bytes(" ")), gzip(WIPE_BYTES)), REFUSED)
                    .line("Content-Encoding: gzip"),
            post("bytes behind gzip", Wire.join(gzip(Wire.bytes(PING)), WIPE_BYTES), REFUSED)
                    .line("Content-Encoding: gzip"),
            post("gzip that breaks off", cut(gzip(WIPE_BYTES), 8), REFUSED).line("Content-Encoding: gzip"),
            post("identity that is none", gzip(WIPE_BYTES), REFUSED).line("Content-Encoding: identity, gzip"),
            post("coding of a list with a hole", gzip(WIPE_BYTES), REFUSED).line("Content-Encoding: ,gzip,"),
            post("unknown coding", WIPE_BYTES, REFUSED).line("Content-Encoding: aws-chunked"),
            post("coding that says nothing", WIPE_BYTES, REFUSED).line("Content-Encoding: none"),
            post("Base64 as a coding", Base64.getEncoder().encode(WIPE_BYTES), REFUSED)
                    .line("Content-Encoding: base64"),
            post("gzip bomb", gzip(Wire.bytes(WIPE + " ".repeat(64 << 20))), REFUSED)
                    .line("Content-Encoding: gzip"));

    private static byte[] cut(byte[] bytes, int less) {
        return Arrays.copyOf(bytes, bytes.length - less);
    }

    static final List<Attempt> TYPES = List.of(
            post("text/plain", WIPE, DENIED).header("Content-Type", "text/plain"),
            post("no type", WIPE, DENIED).without("Content-Type"),
            post("empty type", WIPE, DENIED).header("Content-Type", ""),
            post("octets", WIPE, DENIED).header("Content-Type", "application/octet-stream"),
            post("a form's type", WIPE, DENIED).header("Content-Type", "application/x-www-form-urlencoded"),
            post("multipart's type", WIPE, DENIED).header("Content-Type", "multipart/form-data; boundary=x"),
            post("type of an event stream", WIPE, DENIED).header("Content-Type", "text/event-stream"),
            post("two types", WIPE, REFUSED).line("Content-Type: text/plain"),
            post("another suffix", WIPE, DENIED).header("Content-Type", "application/vnd.x+JSON ; charset=UTF-8"),
            post("Base64 of JSON", Base64.getEncoder().encode(Wire.bytes(WIPE)), REFUSED)
                    .line("Content-Transfer-Encoding: base64"),
            post("quoted-printable JSON", WIPE.replace("\"", "=22").replace("{", "=7B"), REFUSED)
                    .line("Content-Transfer-Encoding: quoted-printable"));
}
