package dev.sallyport.core;

import io.netty.buffer.PooledByteBufAllocator;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Makes Netty report leaked buffers while the output of their test class is still being recorded: Netty reports a leak
 * at the first allocation after the garbage collector has found it. The build fails on the report.
 */
public final class LeakHunt implements AfterAllCallback {
    private static final int ROUNDS = 2;

    @Override
    public void afterAll(ExtensionContext context) throws InterruptedException {
        for (int round = 0; round < ROUNDS; round++) {
            System.gc();
            Thread.sleep(10);
            PooledByteBufAllocator.DEFAULT.directBuffer(1).release();
        }
    }
}
