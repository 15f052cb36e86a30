package dev.sallyport.control.api;

import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.Factory;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

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

    /** They end when nobody asks anything. */
    @Bean(preDestroy = "shutdown")
    @Singleton
    @Named(NAME)
    ExecutorService executor() {
        ThreadPoolExecutor executor = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                10,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(WAITING),
                Thread.ofPlatform().daemon().name("sallyport-control-api-", 1).factory());
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }
}
