package dev.sallyport.core.body;

import dev.sallyport.spi.BodyRewriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;

/** Streaming rewriters, each with what it means for a whole body. */
enum TestRewriters {
    /** Changes nothing, and says so. */
    PASS {
        @Override
        BodyRewriter streaming() {
            return new BodyRewriter() {
                @Override
                public OptionalLong length(OptionalLong in) {
                    return in;
                }

                @Override
                public void write(ByteBuffer in, Sink out) {
                    int middle = in.limit() / 2;
                    out.forward(0, middle);
                    out.forward(middle, in.limit() - middle);
                }

                @Override
                public void end(Sink out) {}

                @Override
                public boolean changed() {
                    return false;
                }
            };
        }

        @Override
        byte[] whole(byte[] in) {
            return in;
        }
    },
    /** Puts another word of the same length in the place of one. */
    SWAP_SAME {
        @Override
        BodyRewriter streaming() {
            return new Swap("token", "VALUE");
        }

        @Override
        byte[] whole(byte[] in) {
            return replace(in, "token", "VALUE");
        }
    },
    /** Puts a longer word in the place of one. */
    SWAP_LONGER {
        @Override
        BodyRewriter streaming() {
            return new Swap("abc", "a-longer-value");
        }

        @Override
        byte[] whole(byte[] in) {
            return replace(in, "abc", "a-longer-value");
        }
    },
    /** Never finds anything, but cannot promise a length. */
    SWAP_ABSENT {
        @Override
        BodyRewriter streaming() {
            return new Swap("#######", "x");
        }

        @Override
        byte[] whole(byte[] in) {
            return in;
        }
    },
    /** Writes each byte twice, some of them by forwarding. */
    TWICE {
        @Override
        BodyRewriter streaming() {
            return new BodyRewriter() {
                @Override
                public OptionalLong length(OptionalLong in) {
                    return in.isPresent() ? OptionalLong.of(in.getAsLong() * 2) : in;
                }

                @Override
                public void write(ByteBuffer in, Sink out) {
                    for (int i = 0; i < in.limit(); i++) {
                        if (i % 64 == 0) {
                            out.forward(i, 1);
                        } else {
                            out.write(in.slice(i, 1));
                        }
                        out.write(in.slice(i, 1));
                    }
                }

                @Override
                public void end(Sink out) {}
            };
        }

        @Override
        byte[] whole(byte[] in) {
            byte[] out = new byte[in.length * 2];
            for (int i = 0; i < in.length; i++) {
                out[2 * i] = in[i];
                out[2 * i + 1] = in[i];
            }
            return out;
        }
    },
    /** Adds a line at the end. */
    APPEND {
        @Override
        BodyRewriter streaming() {
            return new BodyRewriter() {
                @Override
                public void write(ByteBuffer in, Sink out) {
                    out.write(in);
                }

                @Override
                public void end(Sink out) {
                    out.write(ByteBuffer.wrap(latin1("-end")));
                }
            };
        }

        @Override
        byte[] whole(byte[] in) {
            return latin1(text(in) + "-end");
        }
    };

    abstract BodyRewriter streaming();

    abstract byte[] whole(byte[] in);

    /** What {@link BodyRewriter#changed} says in the end. */
    boolean changes(byte[] in) {
        return switch (this) {
            case PASS, SWAP_ABSENT -> false;
            case SWAP_SAME -> text(in).contains("token");
            case SWAP_LONGER -> text(in).contains("abc");
            case TWICE, APPEND -> true;
        };
    }

    static byte[] latin1(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private static byte[] replace(byte[] in, String from, String to) {
        return latin1(text(in).replace(from, to));
    }

    /** Searches across the borders of chunks by holding back what may be the beginning of a match. */
    private static final class Swap implements BodyRewriter {
        private final String from;
        private final String to;
        private String held = "";
        private boolean changed;

        Swap(String from, String to) {
            this.from = from;
            this.to = to;
        }

        @Override
        public OptionalLong length(OptionalLong in) {
            return from.length() == to.length() ? in : OptionalLong.empty();
        }

        @Override
        public void write(ByteBuffer in, Sink out) {
            byte[] bytes = new byte[in.remaining()];
            in.get(bytes);
            String all = held + text(bytes);
            int at = 0;
            for (int hit = all.indexOf(from); hit >= 0; hit = all.indexOf(from, at)) {
                out.write(ByteBuffer.wrap(latin1(all.substring(at, hit) + to)));
                at = hit + from.length();
                changed = true;
            }
            int keep = Math.max(at, all.length() - (from.length() - 1));
            while (!from.startsWith(all.substring(keep))) {
                keep++;
            }
            out.write(ByteBuffer.wrap(latin1(all.substring(at, keep))));
            held = all.substring(keep);
        }

        @Override
        public void end(Sink out) {
            out.write(ByteBuffer.wrap(latin1(held)));
        }

        @Override
        public boolean changed() {
            return changed;
        }
    }
}
