package dev.sallyport.core.loop;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.util.concurrent.ThreadAwareExecutor;

/**
 * Netty's epoll, mended for channels that have no events registered at times. Netty 4.2.18 removes the descriptor of
 * such a channel from the epoll set but believes it still there, so that the next registration fails with ENOENT. A
 * channel has no events registered once its peer has closed its half and everything written has been sent; a response
 * that does not fit into the socket then breaks off. Here the descriptor stays in the set, edge-triggered: a hang-up,
 * which epoll always reports, then wakes the loop once instead of forever.
 */
final class HalfClosedEpoll implements IoHandlerFactory {

    private final IoHandlerFactory netty = EpollIoHandler.newFactory();

    @Override
    public IoHandler newHandler(ThreadAwareExecutor executor) {
        return new Handler(netty.newHandler(executor));
    }

    @Override
    public boolean isChangingThreadSupported() {
        return netty.isChangingThreadSupported();
    }

    private record Handler(IoHandler netty) implements IoHandler {

        @Override
        public void initialize() {
            netty.initialize();
        }

        @Override
        public int run(IoHandlerContext context) {
            return netty.run(context);
        }

        @Override
        public void prepareToDestroy() {
            netty.prepareToDestroy();
        }

        @Override
        public void destroy() {
            netty.destroy();
        }

        @Override
        public IoRegistration register(IoHandle handle) throws Exception {
            return new Registration(netty.register(handle));
        }

        @Override
        public void wakeup() {
            netty.wakeup();
        }

        @Override
        public boolean isCompatible(Class<? extends IoHandle> type) {
            return netty.isCompatible(type);
        }
    }

    private record Registration(IoRegistration netty) implements IoRegistration {

        @Override
        @SuppressWarnings("TypeParameterUnusedInFormals") // as the interface has it
        public <T> T attachment() {
            return netty.attachment();
        }

        @Override
        public long submit(IoOps ops) {
            return netty.submit(ops.equals(EpollIoOps.NONE) ? EpollIoOps.EPOLLET : ops);
        }

        @Override
        public boolean isValid() {
            return netty.isValid();
        }

        @Override
        public boolean cancel() {
            return netty.cancel();
        }
    }
}
