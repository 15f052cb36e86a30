package dev.sallyport.toolkit.coding;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/** The JDK's zlib with a push interface. */
final class InflateStream {

    private final Coding coding;
    private final Inflater inflater;
    private final @Nullable CRC32 checksum;

    InflateStream(Coding coding, boolean bare, @Nullable CRC32 checksum) {
        this.coding = coding;
        this.inflater = new Inflater(bare);
        this.checksum = checksum;
    }

    /** Consumes input up to the end of the deflate data; true when that was reached. */
    boolean write(ByteBuffer in, Output out) {
        ByteBuffer staging = CodecBuffers.take();
        try {
            inflater.setInput(in);
            while (!inflater.finished()) {
                int length = inflater.inflate(staging.clear());
                if (length > 0) {
                    emit(staging.flip(), out);
                } else if (inflater.needsDictionary()) {
                    throw CodingException.corrupt(coding, "the data needs a preset dictionary");
                } else if (!inflater.finished()) {
                    return false;
                }
            }
            return true;
        } catch (DataFormatException e) {
            throw CodingException.corrupt(coding, "invalid deflate data", e);
        } finally {
            inflater.setInput(CodecBuffers.NOTHING); // Otherwise it would keep the caller's buffer.
            CodecBuffers.give(staging);
        }
    }

    private void emit(ByteBuffer bytes, Output out) {
        if (checksum != null) {
            checksum.update(bytes);
            bytes.rewind();
        }
        out.write(bytes);
    }

    long written() {
        return inflater.getBytesWritten();
    }

    void reset() {
        inflater.reset();
    }

    void close() {
        inflater.end();
    }
}
