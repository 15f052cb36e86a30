package dev.sallyport.core.exchange;

import dev.sallyport.core.http.HeaderBlock;
import io.netty.buffer.ByteBuf;

/** Discards what follows a refused head. */
record DiscardingListener(ClientStream downstream) implements ClientStreamListener {

    @Override
    public void onData(ByteBuf data) {
        int bytes = data.readableBytes();
        data.release();
        downstream.consumed(bytes);
    }

    @Override
    public void onEnd(HeaderBlock trailers) {}

    @Override
    public void onWritable() {}

    @Override
    public void onGone(DisconnectReason why) {}

    @Override
    public void onBroken(Refusal why) {}
}
