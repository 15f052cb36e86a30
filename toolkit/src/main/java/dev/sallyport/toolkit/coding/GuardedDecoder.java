package dev.sallyport.toolkit.coding;

import java.nio.ByteBuffer;

/** Compares the output of one stage with the input of the whole chain. */
final class GuardedDecoder implements Decoder {

    private final Decoder stage;
    private final Budget budget;
    private final boolean first;
    private final Output counting = this::count;
    private Output receiver = bytes -> {};
    private long decoded;

    GuardedDecoder(Decoder stage, Budget budget, boolean first) {
        this.stage = stage;
        this.budget = budget;
        this.first = first;
    }

    @Override
    public void write(ByteBuffer in, Output out) {
        if (first) {
            budget.coded += in.remaining();
        }
        receiver = out;
        stage.write(in, counting);
    }

    @Override
    public void end(Output out) {
        receiver = out;
        stage.end(counting);
    }

    @Override
    public boolean hasFreeText() {
        return stage.hasFreeText();
    }

    @Override
    public void close() {
        stage.close();
    }

    private void count(ByteBuffer bytes) {
        decoded += bytes.remaining();
        if (!budget.limits.allow(budget.coded, decoded)) {
            throw new CodingException(
                    CodingException.Reason.TOO_LARGE, "content coding: the body expands beyond what is allowed");
        }
        receiver.write(bytes);
    }

    /** The state that all stages of one body share. */
    static final class Budget {

        private final DecodeLimits limits;
        private long coded;

        Budget(DecodeLimits limits) {
            this.limits = limits;
        }
    }
}
