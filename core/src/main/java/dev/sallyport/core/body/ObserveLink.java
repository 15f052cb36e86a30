package dev.sallyport.core.body;

import dev.sallyport.toolkit.coding.CodingException;
import dev.sallyport.toolkit.coding.Decoder;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Shows observers the passing bytes, as they are or decoded, and forwards them untouched. */
final class ObserveLink extends ChainLink {

    private final List<ObserverGuard> watchers;
    private @Nullable Decoder decoder;
    private final boolean decoding;

    /** @param decoder removes the content coding for the observers; null shows the bytes as they are */
    ObserveLink(ChainOutput next, List<ObserverGuard> watchers, @Nullable Decoder decoder) {
        super(next);
        this.watchers = watchers;
        this.decoder = decoder;
        this.decoding = decoder != null;
    }

    @Override
    public void write(ByteBuf in) {
        if (decoding) {
            decode(in);
        } else {
            ByteQueue.views(in, this::show);
        }
        next().write(in);
    }

    private void decode(ByteBuf in) {
        Decoder active = decoder;
        if (active == null) {
            return;
        }
        try {
            ByteQueue.views(in, view -> active.write(view, this::show));
            if (watchers.stream().allMatch(ObserverGuard::satisfied)) {
                closeDecoder();
            }
        } catch (CodingException e) {
            giveUp(e);
        }
    }

    private void show(ByteBuffer bytes) {
        for (ObserverGuard watcher : watchers) {
            watcher.data(bytes.asReadOnlyBuffer());
        }
    }

    @Override
    public void end() {
        Decoder active = decoder;
        if (active != null) {
            try {
                active.end(this::show);
            } catch (CodingException e) {
                giveUp(e);
            }
        }
        for (ObserverGuard watcher : watchers) {
            watcher.end(true);
        }
        next().end();
    }

    private void giveUp(CodingException e) {
        for (ObserverGuard watcher : watchers) {
            watcher.detach(String.valueOf(e.getMessage()));
        }
        closeDecoder();
    }

    private void closeDecoder() {
        Decoder active = decoder;
        if (active != null) {
            decoder = null;
            active.close();
        }
    }

    @Override
    void close() {
        closeDecoder();
        for (ObserverGuard watcher : watchers) {
            watcher.end(false);
        }
    }
}
