package dev.sallyport.testkit;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetectorFactory;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Makes Netty report leaked buffers while the output of their test class is still being recorded: Netty reports a leak
 * at the first allocation after the garbage collector has found it. The build fails on the report.
 *
 * <p>The collector is left alone where it can find nothing new: all that Netty follows was released, or was in use when
 * it looked the last time. What leaks after that is found at the end of all classes, when it looks once more. With
 * {@code -Dsallyport.full=true} it looks after every class.
 *
 * <p>Registered as a service: active where {@code junit.jupiter.extensions.autodetection.enabled} is true.
 */
public final class LeakHunt implements AfterAllCallback {
    private static final int ROUNDS = 2;
    private static final boolean ALWAYS = Boolean.getBoolean("sallyport.full");
    private static final FollowedResources FOLLOWED = new FollowedResources();

    static {
        ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(FOLLOWED);
    }

    @Override
    public void afterAll(ExtensionContext context) throws InterruptedException {
        context.getRoot()
                .getStore(ExtensionContext.Namespace.create(LeakHunt.class))
                .computeIfAbsent(LeakHunt.class, key -> (AutoCloseable) LeakHunt::afterAllClasses);
        if (ALWAYS || FOLLOWED.mayLeak()) {
            hunt();
        }
    }

    private static void afterAllClasses() throws InterruptedException {
        if (FOLLOWED.anyOpen()) {
            hunt();
        }
    }

    private static void hunt() throws InterruptedException {
        FOLLOWED.rememberOpen();
        for (int round = 0; round < ROUNDS; round++) {
            System.gc();
            Thread.sleep(10);
            PooledByteBufAllocator.DEFAULT.directBuffer(1).release();
        }
    }
}
