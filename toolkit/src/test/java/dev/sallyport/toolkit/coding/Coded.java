package dev.sallyport.toolkit.coding;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.zip.GZIPOutputStream;

/** Makes and reads coded data in pieces. */
final class Coded {

    private Coded() {}

    /** Encodes in random chunks with random flushes; in one chunk without a random. */
    static byte[] encode(Codings codings, byte[] plain, Random random) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (Encoder encoder = codings.encoder()) {
            int position = 0;
            while (position < plain.length) {
                int length = random == null ? plain.length : chunk(random, plain.length - position);
                encoder.write(buffer(plain, position, length, random), into(out));
                position += length;
                if (random != null && random.nextInt(4) == 0) {
                    encoder.flush(into(out));
                }
            }
            encoder.end(into(out));
        }
        return out.toByteArray();
    }

    /** Decodes in random chunks; byte by byte without a random. */
    static byte[] decode(Codings codings, byte[] coded, DecodeLimits limits, Random random) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (Decoder decoder = codings.decoder(limits)) {
            int position = 0;
            while (position < coded.length) {
                int length = random == null ? 1 : chunk(random, coded.length - position);
                ByteBuffer in = buffer(coded, position, length, random);
                decoder.write(in, into(out));
                if (in.hasRemaining()) {
                    throw new AssertionError("not consumed: " + in.remaining());
                }
                position += length;
            }
            decoder.end(into(out));
        }
        return out.toByteArray();
    }

    private static int chunk(Random random, int remaining) {
        int most = random.nextBoolean() ? 20 : 40_000;
        return Math.min(remaining, 1 + random.nextInt(most));
    }

    private static ByteBuffer buffer(byte[] bytes, int from, int length, Random random) {
        ByteBuffer slice = ByteBuffer.wrap(bytes, from, length);
        if (random == null || random.nextBoolean()) {
            return slice.asReadOnlyBuffer();
        }
        return ByteBuffer.allocateDirect(length + 3).position(3).put(slice).position(3);
    }

    static Output into(ByteArrayOutputStream out) {
        return bytes -> {
            byte[] copy = new byte[bytes.remaining()];
            bytes.get(copy);
            out.writeBytes(copy);
        };
    }

    static byte[] gzip(String text) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(text.getBytes(UTF_8));
        }
        return out.toByteArray();
    }

    static byte[] sample(int length, long seed) {
        Random random = new Random(seed);
        byte[] sample = new byte[length];
        for (int i = 0; i < length; i++) {
            sample[i] =
                    (byte) (random.nextInt(5) == 0 || i < 10 ? random.nextInt() : sample[i - 1 - random.nextInt(9)]);
        }
        return sample;
    }
}
