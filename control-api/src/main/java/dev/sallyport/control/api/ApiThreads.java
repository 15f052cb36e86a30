package dev.sallyport.control.api;

import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.Factory;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads on which requests are served. Platform threads: the driver of SQLite is native code, which would hold on
 * to the carriers that virtual threads share, those of the proxy's blocking steps among them.
 */
@Factory
public final class ApiThreads {

    /** Their name, for {@code @ExecuteOn}. */
    public static final String NAME = "api";

    private static final int THREADS = 64;
    private static final int WAITING = 4096;

    /** They end when nobody asks anything. What one of them hands over it does at once, itself. */
    @Bean(preDestroy = "shutdown")
    @Singleton
    @Named(NAME)
    ExecutorService executor() {
        ThreadPoolExecutor executor = new Pool();
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    /** A request that has passed its filters stays on its thread: to go on on another takes longer than most answers. */
    private static final class Pool extends ThreadPoolExecutor {

        Pool() {
            super(THREADS, THREADS, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(WAITING), new Maker());
        }

        @Override
        public void execute(Runnable task) {
            if (Thread.currentThread() instanceof ApiThread) {
                task.run();
            } else {
                super.execute(task);
            }
        }
    }

    private static final class ApiThread extends Thread {

        ApiThread(Runnable task, String name) {
            super(task, name);
            setDaemon(true);
        }
    }

    private static final class Maker implements ThreadFactory {

        private final AtomicInteger made = new AtomicInteger();

        @Override
        public Thread newThread(Runnable task) {
            return new ApiThread(task, "sallyport-control-api-" + made.incrementAndGet());
        }
    }
}
