package dev.sallyport.core.resolve;

import io.netty.resolver.HostsFileEntriesProvider;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** The hosts file of this machine, reread every few seconds while it is used. Thread-safe, never blocks. */
final class HostsFile {

    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Supplier<HostsFileEntriesProvider> reader;
    private final Executor background;
    private final AtomicLong readAt;
    private volatile HostsFileEntriesProvider entries;

    /** Reads the file for the first time. */
    HostsFile(Supplier<HostsFileEntriesProvider> reader, Executor background) {
        this.reader = reader;
        this.background = background;
        this.entries = reader.get();
        this.readAt = new AtomicLong(System.nanoTime());
    }

    /** The file at this system's usual place. */
    static HostsFile system() {
        return new HostsFile(() -> HostsFileEntriesProvider.parser().parseSilently(), Thread::startVirtualThread);
    }

    /** The addresses of a name; empty when the file does not list it. */
    List<InetAddress> addresses(String name) {
        long last = readAt.get();
        if (System.nanoTime() - last > FRESH_NANOS && readAt.compareAndSet(last, System.nanoTime())) {
            background.execute(() -> entries = reader.get());
        }
        HostsFileEntriesProvider now = entries;
        List<InetAddress> four = of(now.ipv4Entries(), name);
        List<InetAddress> six = of(now.ipv6Entries(), name);
        if (four.isEmpty() || six.isEmpty()) {
            return four.isEmpty() ? six : four;
        }
        List<InetAddress> both = new ArrayList<>(four);
        both.addAll(six);
        return both;
    }

    private static List<InetAddress> of(Map<String, List<InetAddress>> entries, String name) {
        return entries.getOrDefault(name.toLowerCase(Locale.ENGLISH), List.of());
    }
}
