package dev.sallyport.core.body;

import dev.sallyport.core.body.BodyFailure.Kind;
import dev.sallyport.toolkit.coding.Codings;
import dev.sallyport.toolkit.coding.DecodeLimits;
import dev.sallyport.toolkit.coding.Decoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The stages between sender and receiver. Each is applied once to what the queue behind the last one holds, which is
 * everything from the first byte on, and then to the rest as it comes.
 *
 * <p>Identity stages that follow each other share one decoder. What they produced is encoded again where the region
 * that they form is left: when a stage or reader of wire bytes comes, or the body leaves. As long as possible the
 * region is left only at the end of the body, because its coded input then takes the place of an output that is the
 * same.
 */
final class StageChain {

    private static final String UNKNOWN = "content coding: not known (expected: gzip, deflate, br or zstd)";

    /** Queued bytes go through a new stage in pieces of this size. */
    private static final int MAX_STEP = 16 << 10;

    /** Each of these bytes may decode to many. */
    private static final int MAX_CODED_STEP = 256;

    private final BodyHead head;
    private final BodyLimits limits;
    private final BodyAccount account;
    private final ByteBufAllocator allocator;
    private final ByteQueue queue;
    private final Consumer<ByteBuf> receiver;
    private final ChainOutput front = new Front();
    private final ArrayDeque<BodyStage> pending = new ArrayDeque<>(4);
    private final List<ChainLink> links = new ArrayList<>(4);
    private final List<RewriteLink> rewriters = new ArrayList<>(2);

    private @Nullable Codings codings;
    private ChainOutput first;
    private long received;
    private boolean ended;
    private boolean closed;
    private boolean patient = true;

    /** Hears what is wrong with coded bytes that are decoded nevertheless; null: nothing may be wrong with them. */
    private @Nullable BodyEventListener tolerance;

    /** Whether something was wrong with them: they are not handed on. */
    private boolean odd;

    /** Bytes that are on their way from the queue through a new stage. */
    private @Nullable ByteQueue replay;

    /** Whether the end follows them. */
    private boolean replayEnds;

    /** The length behind the last stage as far as it is known beforehand, or -1. */
    private long length;

    /** Whether the queue holds decoded bytes of a coded body. */
    private boolean decoded;

    /** The decoder of the region that the queue lies in; null when its coded input is beside the point. */
    private @Nullable DecodeLink region;

    private int regionRewriters;

    /** Whether the chain itself has changed the bytes: encoded them again, inflated or replaced them. */
    private boolean changed;

    /**
     * A chain without stages, in the middle of what has come so far.
     *
     * @param queue where it ends, with everything that has come so far
     * @param receiver takes what comes out behind the last stage; its end is {@link #ended()}
     * @param ended whether that was all
     */
    StageChain(
            BodyHead head,
            BodyLimits limits,
            BodyAccount account,
            ByteBufAllocator allocator,
            ByteQueue queue,
            Consumer<ByteBuf> receiver,
            boolean ended) {
        this.head = head;
        this.limits = limits;
        this.account = account;
        this.allocator = allocator;
        this.queue = queue;
        this.receiver = receiver;
        this.received = queue.bytes();
        this.ended = ended;
        this.length = head.declaredLength();
        this.first = front;
    }

    /** Takes input. */
    void write(ByteBuf in) {
        received += in.readableBytes();
        first.write(in);
    }

    /** Takes the end of the input. */
    void end() {
        first.end();
    }

    /** Makes coders write the bytes that they hold back. */
    void flush() {
        if (!links.isEmpty() && !ended) {
            first.flush();
        }
    }

    /** Whether bytes, or the end, are on their way between the stages: {@link #step} is to be called. */
    boolean busy() {
        if (replay != null) {
            return true;
        }
        for (int i = 0; i < links.size(); i++) {
            if (links.get(i).busy()) {
                return true;
            }
        }
        return false;
    }

    /** Moves some of these on, those at the end first; returns how many. */
    int step() {
        for (int i = links.size() - 1; i >= 0; i--) {
            if (links.get(i).busy()) {
                return links.get(i).step();
            }
        }
        return replay == null ? 0 : replay(replay, links.getLast());
    }

    private int replay(ByteQueue earlier, ChainLink newest) {
        int bytes = 0;
        if (!earlier.isEmpty()) {
            ByteBuf next = earlier.poll(decodes() ? MAX_CODED_STEP : MAX_STEP);
            bytes = next.readableBytes();
            newest.write(next);
        }
        if (earlier.isEmpty()) {
            replay = null;
            if (replayEnds) {
                newest.end();
            }
        }
        return bytes;
    }

    /** Whether the end has passed the last stage. */
    boolean ended() {
        return ended;
    }

    /** Whether stages of transforms have not seen the end. */
    boolean inUse() {
        return !ended && !(links.isEmpty() && pending.isEmpty());
    }

    /** Whether there is a rewriter among the stages. */
    boolean rewrites() {
        return !rewriters.isEmpty() || pending.stream().anyMatch(BodyStage.Rewrite.class::isInstance);
    }

    /** Whether there is a content coding to remove. An unknown one is acceptable on an empty body. */
    boolean coded() {
        if (head.contentEncoding() == null || codings().isIdentity()) {
            return false;
        }
        return codings().known() || !isEmptyBody();
    }

    /** Whether a stage decodes what is written. */
    boolean decodes() {
        if (links.isEmpty()) {
            return false;
        }
        for (int i = 0; i < links.size(); i++) {
            if (links.get(i) instanceof MessageInflateLink) {
                return true;
            }
        }
        return coded();
    }

    private boolean isEmptyBody() {
        return head.declaredLength() == 0 || (ended && received == 0);
    }

    /** Whether the queue holds decoded bytes of a coded body. */
    boolean decoded() {
        return decoded;
    }

    /** The length of what leaves, as far as it is known beforehand, or -1. */
    long length() {
        return decoded ? -1 : length;
    }

    /** Registers a stage; {@link #advance} applies it. */
    void add(BodyStage stage) {
        pending.add(stage);
    }

    /** A decoder for somebody who looks at a copy. */
    Decoder decoder(int position) {
        if (!codings().known()) {
            throw unsupported(position);
        }
        return codings().decoder(limits.decoding());
    }

    /** Applies the stages that were registered, and says whether all could be: otherwise it is to be called again. */
    boolean advance() {
        for (BodyStage stage = pending.peek(); stage != null; stage = pending.peek()) {
            if (busy()) {
                return false;
            }
            if (!stage.identity() && !leaveRegion(!worthHolding())) {
                return false;
            }
            pending.remove();
            if (!prepare(stage)) {
                pending.addFirst(stage);
                return false;
            }
            switch (stage) {
                case BodyStage.Rewrite rewrite -> apply(rewrite);
                case BodyStage.Check check -> apply(check);
                case BodyStage.Observe observe -> apply(observe);
                case BodyStage.InflateMessages inflate -> apply(inflate);
            }
        }
        return !busy();
    }

    /** Decodes what is there, if the stage needs that; returns whether all is done. */
    private boolean prepare(BodyStage stage) {
        if (stage.identity() && !decoded && coded()) {
            boolean needed = stage instanceof BodyStage.Rewrite
                    || stage instanceof BodyStage.InflateMessages
                    || (decodingFollows()
                            && (stage instanceof BodyStage.Check || codings().known()));
            if (needed) {
                enterRegion(stage.position());
            }
        }
        return !busy();
    }

    private void apply(BodyStage.Rewrite stage) {
        long in = ended ? queue.bytes() : length;
        RewriteLink link = new RewriteLink(allocator, account, front, stage.rewriter(), stage.position(), in);
        length = link.promised();
        rewriters.add(link);
        extend(link);
    }

    private void apply(BodyStage.Check stage) {
        boolean coded = stage.identity() && !decoded && coded();
        Decoder own = coded ? decoder(stage.position()) : null;
        long in = ended ? queue.bytes() : length;
        extend(new CheckLink(account, front, stage.check(), stage.position(), in, own));
    }

    private void apply(BodyStage.Observe stage) {
        if (!stage.identity() || decoded || !coded()) {
            extend(new ObserveLink(front, List.of(stage.watcher()), null));
        } else if (!codings().known()) {
            stage.watcher().detach(UNKNOWN);
        } else {
            List<ObserverGuard> watchers = new ArrayList<>(2);
            watchers.add(stage.watcher());
            while (pending.peek() instanceof BodyStage.Observe next && next.identity()) {
                pending.remove();
                watchers.add(next.watcher());
            }
            extend(new ObserveLink(front, watchers, decoder(stage.position())));
        }
    }

    private void apply(BodyStage.InflateMessages stage) {
        DecodeLimits each = limits.decodingWhole();
        extend(new MessageInflateLink(
                allocator, account, front, () -> stage.codings().decoder(each)));
        length = -1;
        changed = true;
    }

    /** Whether a rewriter is about to decode in any case. */
    private boolean decodingFollows() {
        for (BodyStage stage : pending) {
            if (!stage.identity()) {
                return false;
            }
            if (stage instanceof BodyStage.Rewrite) {
                return true;
            }
        }
        return false;
    }

    /** Decodes for rewriters what the sender has coded badly. */
    void tolerate(BodyEventListener told) {
        tolerance = told;
    }

    private Decoder regionDecoder(int position) {
        BodyEventListener told = tolerance;
        if (told == null || !codings().known()) {
            return decoder(position);
        }
        return codings().lenientDecoder(limits.decoding(), what -> {
            odd = true;
            told.tolerated(what.code());
        });
    }

    private void enterRegion(int position) {
        DecodeLink link = new DecodeLink(allocator, front, regionDecoder(position), position, account);
        decoded = true;
        region = link;
        regionRewriters = rewriters.size();
        length = -1;
        extend(link);
    }

    /** Nothing is held any longer for an exact length or the original bytes. */
    void stopHolding() {
        patient = false;
    }

    /**
     * Whether holding the body back until its end promises an exact length or its original bytes.
     */
    boolean worthHolding() {
        if (!patient || account.exceeded() || Math.max(queue.bytes(), keptBytes()) > limits.hold()) {
            return false;
        }
        if (decoded && !head.streamed() && region != null && region.kept() != null) {
            return true;
        }
        long declared = head.declaredLength();
        return length() < 0 && declared >= 0 && declared <= limits.hold();
    }

    /** How many coded bytes are kept beside what they decode to. */
    long keptBytes() {
        ByteQueue kept = region == null ? null : region.kept();
        return kept == null ? 0 : kept.bytes();
    }

    /** Discards the coded bytes: the output will be encoded again. */
    void dropKept() {
        if (region != null) {
            region.dropKept();
        }
    }

    /** Makes the queue hold wire bytes, and says whether it does: before the end only when that is forced. */
    boolean leaveRegion(boolean force) {
        if (!decoded) {
            return true;
        }
        if (!ended && !force) {
            return false;
        }
        DecodeLink left = region;
        region = null;
        decoded = false;
        ByteQueue kept = left == null ? null : left.kept();
        if (kept != null && ended && !odd && unchangedFrom(regionRewriters)) {
            queue.clear();
            kept.moveTo(queue);
            rewriters.subList(regionRewriters, rewriters.size()).clear();
        } else {
            changed = true;
            patient &= ended; // it has been decided, however short the queue is once it is coded
            length = -1;
            if (left != null) {
                left.dropKept();
            }
            extend(new EncodeLink(allocator, front, codings().encoder(), () -> received > 0));
        }
        return true;
    }

    private boolean unchangedFrom(int index) {
        for (int i = index; i < rewriters.size(); i++) {
            if (rewriters.get(i).changed()) {
                return false;
            }
        }
        return true;
    }

    /** Puts other bytes in the place of a complete body. */
    void replace(byte[] body, boolean identity) {
        if (identity && !codings().known()) {
            throw unsupported(BodyFailure.NOBODY);
        }
        dropKept();
        region = null;
        decoded = identity && !codings().isIdentity();
        changed = true;
        rewriters.clear();
        queue.clear();
        queue.add(Unpooled.wrappedBuffer(body));
    }

    /** Whether the output may differ from the input. */
    boolean altered() {
        return changed || (ended ? !unchangedFrom(0) : !rewriters.isEmpty());
    }

    /** Appends a stage; the queued bytes go through it in steps. */
    private void extend(ChainLink link) {
        if (links.isEmpty()) {
            first = link;
        } else {
            links.getLast().next(link);
        }
        links.add(link);
        if (queue.isEmpty() && !ended) {
            return;
        }
        replayEnds = ended;
        ended = false;
        ByteQueue earlier = new ByteQueue(allocator, account);
        replay = earlier;
        queue.moveTo(earlier);
    }

    private Codings codings() {
        Codings known = codings;
        if (known == null) {
            known = Codings.parse(head.contentEncoding());
            codings = known;
        }
        return known;
    }

    private static BodyException unsupported(int position) {
        return new BodyException(Kind.UNSUPPORTED_CODING, position, UNKNOWN);
    }

    /** Frees everything; observers that have not seen the end are told that it will not come. */
    void close() {
        if (closed) {
            return;
        }
        closed = true;
        links.forEach(ChainLink::close);
        for (BodyStage stage : pending) {
            if (stage instanceof BodyStage.Observe observe) {
                observe.watcher().end(false);
            }
        }
        pending.clear();
        ByteQueue earlier = replay;
        if (earlier != null) {
            replay = null;
            earlier.clear();
        }
        queue.clear();
    }

    /** Behind the last stage. */
    private final class Front implements ChainOutput {

        @Override
        public void write(ByteBuf in) {
            receiver.accept(in);
        }

        @Override
        public void end() {
            ended = true;
        }

        @Override
        public void flush() {}
    }
}
