package dev.sallyport.testkit;

import io.netty.buffer.ByteBuf;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import io.netty.util.ResourceLeakTracker;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Netty's leak detection, that also knows what is open: where nothing is, nobody need look for leaks. */
final class FollowedResources extends ResourceLeakDetectorFactory {

    private final Set<Tracker<?>> open = ConcurrentHashMap.newKeySet();
    private volatile boolean buffers;

    /** Whether something is open that {@link #rememberOpen} has not seen; or may be, since buffers are not followed here. */
    boolean mayLeak() {
        return !buffers || open.stream().anyMatch(tracker -> !tracker.remembered);
    }

    /** Whether anything is open, or may be. */
    boolean anyOpen() {
        return !buffers || !open.isEmpty();
    }

    /** What is open now has been looked at. */
    void rememberOpen() {
        open.forEach(tracker -> tracker.remembered = true);
    }

    @Override
    @Deprecated
    public <T> ResourceLeakDetector<T> newResourceLeakDetector(Class<T> type, int interval, long most) {
        if (type == ByteBuf.class) {
            buffers = true;
        }
        return new Detector<>(type, interval);
    }

    private final class Detector<T> extends ResourceLeakDetector<T> {

        Detector(Class<T> type, int interval) {
            super(type, interval);
        }

        @Override
        public @Nullable ResourceLeakTracker<T> track(T resource) {
            return opened(super.track(resource));
        }

        @Override
        public @Nullable ResourceLeakTracker<T> trackForcibly(T resource) {
            return opened(super.trackForcibly(resource));
        }

        private @Nullable ResourceLeakTracker<T> opened(@Nullable ResourceLeakTracker<T> tracker) {
            return tracker == null ? null : new Tracker<>(tracker, open);
        }
    }

    private static final class Tracker<T> implements ResourceLeakTracker<T> {

        private final ResourceLeakTracker<T> netty;
        private final Set<Tracker<?>> open;
        private volatile boolean remembered;

        Tracker(ResourceLeakTracker<T> netty, Set<Tracker<?>> open) {
            this.netty = netty;
            this.open = open;
            open.add(this);
        }

        @Override
        public void record() {
            netty.record();
        }

        @Override
        public void record(Object hint) {
            netty.record(hint);
        }

        @Override
        public boolean close(T resource) {
            open.remove(this);
            return netty.close(resource);
        }

        @Override
        public @Nullable Throwable getCloseStackTraceIfAny() {
            return netty.getCloseStackTraceIfAny();
        }
    }
}
