package dev.sallyport.sandboxd.image;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * A lock between threads and processes. The lock of a file belongs to a process: threads that share it count, and the last
 * one lets go.
 */
final class FolderLock {

    private final Path file;
    private final ReentrantReadWriteLock threads = new ReentrantReadWriteLock();
    private @Nullable FileChannel shared;
    private int sharers;

    FolderLock(Path file) {
        this.file = file;
    }

    /** With others that share; waits for one who does not. */
    ImageStore.Hold shared() throws IOException {
        Lock lock = threads.readLock();
        lock.lock();
        boolean held = false;
        try {
            join();
            held = true;
        } finally {
            if (!held) {
                lock.unlock();
            }
        }
        return () -> {
            try {
                leave();
            } finally {
                lock.unlock();
            }
        };
    }

    private synchronized void join() throws IOException {
        if (sharers == 0) {
            shared = locked(true);
        }
        sharers++;
    }

    private synchronized void leave() throws IOException {
        sharers--;
        if (sharers == 0 && shared != null) {
            shared.close();
            shared = null;
        }
    }

    /** Alone; waits for all others. */
    ImageStore.Hold exclusive() throws IOException {
        Lock lock = threads.writeLock();
        lock.lock();
        FileChannel channel = null;
        try {
            channel = locked(false);
        } finally {
            if (channel == null) {
                lock.unlock();
            }
        }
        FileChannel held = channel;
        return () -> {
            try {
                held.close();
            } finally {
                lock.unlock();
            }
        };
    }

    private FileChannel locked(boolean together) throws IOException {
        FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        boolean held = false;
        try {
            channel.lock(0, Long.MAX_VALUE, together);
            held = true;
            return channel;
        } finally {
            if (!held) {
                channel.close();
            }
        }
    }
}
