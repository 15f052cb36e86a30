package dev.sallyport.testkit;

import dev.sallyport.core.secret.SecretScope;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Secret;
import dev.sallyport.spi.SecretRef;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Follows the secrets that a configuration refers to, so that a test can wait for a change. */
final class SecretWatch implements AutoCloseable {

    private static final long MOMENT_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final SecretScope scope;
    private final List<Secret> secrets = new ArrayList<>();

    SecretWatch(SecretScope scope) {
        this.scope = scope;
        scope.onChange(secret -> {
            synchronized (this) {
                notifyAll();
            }
        });
    }

    /** Follows every reference in a config record, its lists, maps and records included. */
    void follow(@Nullable Object config) {
        switch (config) {
            case SecretRef reference -> {
                try {
                    secrets.add(scope.resolve(reference));
                } catch (ConfigException e) {
                    throw new AssertionError("resolved for the transform, but not again", e);
                }
            }
            case Record block -> {
                for (RecordComponent component : block.getClass().getRecordComponents()) {
                    follow(read(component, block));
                }
            }
            case Collection<?> many -> many.forEach(this::follow);
            case Map<?, ?> named -> named.values().forEach(this::follow);
            case null, default -> {}
        }
    }

    private static @Nullable Object read(RecordComponent component, Record block) {
        try {
            component.getAccessor().setAccessible(true);
            return component.getAccessor().invoke(block);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("config record " + block.getClass().getName(), e);
        }
    }

    /**
     * Waits until every secret of this name is as the test wants.
     *
     * @param again done every two seconds meanwhile
     */
    void await(String name, Predicate<Secret> wanted, Runnable again) throws InterruptedException {
        long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(Waiting.LIMIT_SECONDS);
        while (!isReached(name, wanted)) {
            if (System.nanoTime() > limit) {
                throw new AssertionError("secret " + name + ": did not change");
            }
            again.run();
        }
    }

    /** Waits for a moment at most. */
    private synchronized boolean isReached(String name, Predicate<Secret> wanted) throws InterruptedException {
        long end = System.nanoTime() + MOMENT_NANOS;
        while (!secrets.stream().filter(secret -> secret.name().equals(name)).allMatch(wanted)) {
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (left <= 0) {
                return false;
            }
            wait(left);
        }
        return true;
    }

    @Override
    public void close() {
        scope.close();
    }
}
