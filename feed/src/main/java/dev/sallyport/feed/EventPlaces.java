package dev.sallyport.feed;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Where events wait: in a folder, those of each lane in one below it, or in memory. */
final class EventPlaces implements AccountSpool.Spools {

    private static final String LANE = "lane-";
    private static final long LANE_SEGMENT = 1 << 20;

    private final @Nullable Path folder;
    private final byte[] identity;
    private final long capacity;

    /**
     * @param folder null for in memory
     * @param identity of the proxy at its control plane, 32 bytes
     * @param capacity of each, in bytes
     */
    EventPlaces(@Nullable Path folder, byte[] identity, long capacity) {
        this.folder = folder;
        this.identity = identity.clone();
        this.capacity = capacity;
    }

    @Override
    public EventSpool common() throws IOException {
        return folder == null ? new MemorySpool(capacity) : FileSpool.open(folder, identity, capacity);
    }

    @Override
    public EventSpool lane(int number) throws IOException {
        return folder == null
                ? new MemorySpool(capacity)
                : FileSpool.open(folder.resolve(LANE + number), identity, capacity, LANE_SEGMENT);
    }

    @Override
    public int present() {
        int count = 0;
        while (folder != null && Files.isDirectory(folder.resolve(LANE + count))) {
            count++;
        }
        return count;
    }
}
