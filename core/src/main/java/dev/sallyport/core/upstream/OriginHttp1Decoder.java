package dev.sallyport.core.upstream;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http1.HeaderBlockFactory;
import dev.sallyport.core.http1.MessageFraming;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.AsciiString;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayList;
import java.util.List;

/**
 * Netty's decoder with strict line ends, our header block, knowledge of the request, and rejection of unsolicited bytes.
 * A blank behind the status line, of which Netty would make a field, makes the message invalid. Field lines that no client
 * reads are left out, of heads and trailers, folded ones are joined and LF alone ends a line, framing that is stated more
 * than once becomes one, and sizes of chunks are read with white space behind them (docs/spec/decisions.md, section 20);
 * {@link #tolerated} says what was done.
 */
final class OriginHttp1Decoder extends HttpResponseDecoder {

    private static final int MAX_CHUNK_BYTES = 128 * 1024;
    private static final String CONTENT_LENGTH = "content-length";

    /** What the origin may send. */
    private enum Expected {
        NOTHING,
        /** The first byte of a response. */
        RESPONSE,
        /** The rest of a response. */
        REST
    }

    private final Runnable unexpected;
    private final OriginFieldLines fields;
    private final OriginChunkLines chunks;
    private List<String> tolerated = List.of();
    private Expected expected = Expected.NOTHING;
    private boolean toHead;
    private boolean inHead = true;
    private boolean inFields;
    private boolean folded;
    private int lengths;

    /** @param unexpected called when the origin sends bytes while no response is due */
    OriginHttp1Decoder(int maxHeadBytes, Runnable unexpected) {
        super(new HttpDecoderConfig()
                .setMaxInitialLineLength(maxHeadBytes)
                .setMaxHeaderSize(maxHeadBytes)
                .setMaxChunkSize(MAX_CHUNK_BYTES)
                .setHeadersFactory(HeaderBlockFactory.HEADS)
                .setTrailersFactory(HeaderBlockFactory.TRAILERS)
                .setAllowDuplicateContentLengths(true)
                .setStrictLineParsing(true)
                .setUseRfc9112TransferEncoding(true));
        this.unexpected = unexpected;
        this.fields = new OriginFieldLines(maxHeadBytes, this::tolerate);
        this.chunks = new OriginChunkLines(() -> tolerate("chunk_white_space"));
    }

    private void tolerate(String code) {
        if (tolerated.isEmpty()) {
            tolerated = new ArrayList<>(2);
        }
        if (!tolerated.contains(code)) {
            tolerated.add(code);
        }
    }

    /** The codes of what was put right in the heads, and the trailers, of the expected response; usually none. */
    List<String> tolerated() {
        return tolerated;
    }

    /** A request is being sent: the bytes that follow are its response. */
    void expect(boolean responseToHead) {
        expected = Expected.RESPONSE;
        toHead = responseToHead;
        tolerated = List.of();
    }

    /** The response is complete. */
    void rest() {
        expected = Expected.NOTHING;
    }

    /** Whether any byte of the expected response has arrived. */
    boolean sawBytes() {
        return expected == Expected.REST;
    }

    /** Whether bytes have arrived that belong to no message. */
    boolean hasLeftover() {
        return actualReadableBytes() > 0;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
        if (expected != Expected.NOTHING) {
            expected = Expected.REST;
            super.channelRead(context, message);
        } else {
            ReferenceCountUtil.release(message);
            unexpected.run();
        }
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf buffer, List<Object> out) throws Exception {
        boolean lines = inFields || chunks.atTrailers();
        int from = buffer.readerIndex();
        int end = buffer.writerIndex();
        int to = lines ? fields.find(buffer) : inHead ? firstLineEnd(buffer) : chunks.prepare(buffer);
        if (lines && to == from && from < end) {
            switch (fields.here()) {
                case LEAVE_OUT -> fields.leaveOut(buffer);
                case END_WELL -> decodeLine(context, buffer, out);
                default -> {} // more must come first
            }
        } else if (inHead && !lines && endsInLineFeedAlone(buffer, from, to)) {
            decodeLine(context, buffer, out);
        } else {
            buffer.writerIndex(to);
            try {
                decodePart(context, buffer, out);
            } finally {
                buffer.writerIndex(end);
            }
        }
    }

    private static boolean endsInLineFeedAlone(ByteBuf buffer, int from, int to) {
        int lineFeed = to - 1;
        return lineFeed > from && buffer.getByte(lineFeed) == '\n' && buffer.getByte(lineFeed - 1) != '\r';
    }

    /** Decodes a line that ends in LF alone as if it ended well (RFC 9112, 2.2). */
    private void decodeLine(ChannelHandlerContext context, ByteBuf buffer, List<Object> out) throws Exception {
        int length = buffer.bytesBefore((byte) '\n');
        ByteBuf line = context.alloc().buffer(length + 2);
        try {
            line.writeBytes(buffer, length).writeByte('\r').writeByte('\n');
            buffer.skipBytes(1);
            tolerate("bare_line_feed");
            decodePart(context, line, out);
        } finally {
            line.release();
        }
    }

    private void decodePart(ChannelHandlerContext context, ByteBuf buffer, List<Object> out) throws Exception {
        boolean head = inHead;
        boolean statusLine = head && !inFields;
        int from = buffer.readerIndex();
        super.decode(context, buffer, out);
        if (statusLine ? buffer.readerIndex() > from && isBlank(buffer.getByte(from)) : fields.beginsBlank()) {
            folded = true;
        }
        if (chunks.decoded(buffer.readerIndex() - from)) {
            fields.begin();
        }
        if (!out.isEmpty()) {
            onDecoded(head, out);
        }
    }

    private void onDecoded(boolean head, List<Object> out) {
        inFields = false;
        inHead = out.get(out.size() - 1) instanceof LastHttpContent;
        if (head && out.get(0) instanceof HttpResponse response) {
            if (folded) {
                response.setDecoderResult(DecoderResult.failure(new FoldedLineException()));
            } else if (lengths > 1 && !response.protocolVersion().equals(HttpVersion.HTTP_1_1)) {
                response.setDecoderResult(DecoderResult.failure(new ManyLengthsException()));
            }
            chunks.begin(!inHead && ((HeaderBlock) response.headers()).contains("Transfer-Encoding"));
        } else if (inHead) {
            chunks.begin(false);
            if (folded) {
                LastHttpContent last = (LastHttpContent) out.get(out.size() - 1);
                last.setDecoderResult(DecoderResult.failure(new FoldedLineException()));
            }
        }
    }

    /** The field lines behind the status line are looked at before they are decoded. */
    private static int firstLineEnd(ByteBuf buffer) {
        int lineFeed = buffer.indexOf(buffer.readerIndex(), buffer.writerIndex(), (byte) '\n');
        return lineFeed < 0 ? buffer.writerIndex() : lineFeed + 1;
    }

    private static boolean isBlank(byte c) {
        return c == ' ' || c == '\t';
    }

    /** Drops white space before the colon (RFC 9112, 5.1); Netty would drop whole words. */
    @Override
    protected AsciiString splitHeaderName(byte[] line, int start, int length) {
        int colon = start + length;
        while (colon < line.length && (line[colon] == ' ' || line[colon] == '\t')) {
            colon++;
        }
        if (colon == line.length || line[colon] != ':') {
            throw new IllegalArgumentException("field name: no colon after it");
        }
        if (colon > start + length) {
            tolerate("field_white_space");
        }
        AsciiString name = super.splitHeaderName(line, start, length);
        if (length == CONTENT_LENGTH.length() && name.contentEqualsIgnoreCase(CONTENT_LENGTH)) {
            lengths++;
        }
        return name;
    }

    @Override
    protected HttpMessage createMessage(String[] initialLine) {
        lengths = 0;
        inFields = true;
        fields.begin();
        if (!isStatus(initialLine[1])) {
            throw new NumberFormatException("status: not three digits");
        }
        return super.createMessage(initialLine);
    }

    /** RFC 9112, 4: Java would also accept a sign and leading zeros, which others read differently. */
    private static boolean isStatus(String text) {
        return text.length() == 3 && text.charAt(0) != '0' && isDigit(text, 0) && isDigit(text, 1) && isDigit(text, 2);
    }

    private static boolean isDigit(String text, int at) {
        char digit = text.charAt(at);
        return digit >= '0' && digit <= '9';
    }

    /** Netty asks this when the field lines are complete, before it looks for the framing of the body. */
    @Override
    protected boolean isContentAlwaysEmpty(HttpMessage message) {
        OriginLeniency.frameOnce((HeaderBlock) message.headers(), this::tolerate);
        return isBodiless((HttpResponse) message);
    }

    /** The length was removed from the head before. */
    @Override
    protected void handleTransferEncodingChunkedWithContentLength(HttpMessage message) {
        clearContentLength();
    }

    /** Whether this response to the {@linkplain #expect expected} request ends with its head. */
    boolean isBodiless(HttpResponse response) {
        return MessageFraming.isBodiless(response.status().code(), toHead);
    }

    @Override
    protected boolean isSwitchingToNonHttp1Protocol(HttpResponse response) {
        return response.status().code() == 101;
    }

    /** More than one length, in a message of which Netty takes the first. */
    static final class ManyLengthsException extends Exception {

        ManyLengthsException() {
            super(null, null, false, false);
        }
    }

    /** A line that continues the previous one. */
    static final class FoldedLineException extends Exception {

        FoldedLineException() {
            super(null, null, false, false);
        }
    }
}
