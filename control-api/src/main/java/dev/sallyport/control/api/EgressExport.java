package dev.sallyport.control.api;

import dev.sallyport.control.audit.EgressEvent;
import dev.sallyport.control.audit.OpenAnswers;
import dev.sallyport.control.model.Json;
import dev.sallyport.control.model.Page;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Events as lines of JSON, read a page at a time when they are wanted: however many there are, one page is in memory, and
 * nothing of the database is held between two. Whatever fails is an {@link IOException}, for which the framework cuts the
 * connection. For one thread, except that any may close it.
 */
final class EgressExport extends InputStream {

    private static final Logger LOG = LoggerFactory.getLogger(EgressExport.class);

    private final Function<Optional<String>, Page<EgressEvent>> pages;
    private final ExecutorService threads;
    private final OpenAnswers.Place place;
    private Optional<String> after = Optional.empty();
    private byte[] chunk = new byte[0];
    private int at;
    private boolean last;
    private boolean begun;

    /**
     * One that has yet to begin.
     *
     * @param pages the page after the event of this identifier
     * @param threads where pages are read
     * @param place kept from the first read on, and given back at the end
     */
    EgressExport(
            Function<Optional<String>, Page<EgressEvent>> pages, ExecutorService threads, OpenAnswers.Place place) {
        this.pages = pages;
        this.threads = threads;
        this.place = place;
    }

    /** Reads the first page on this thread: what fails now is answered as an error. */
    void prepare() {
        try {
            take(pages.apply(after));
        } catch (RuntimeException e) {
            place.giveBack();
            throw e;
        }
    }

    @Override
    public int read() throws IOException {
        return isAtEnd() ? -1 : chunk[at++] & 0xFF;
    }

    @Override
    public int read(byte[] into, int from, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (isAtEnd()) {
            return -1;
        }
        int taken = Math.min(length, chunk.length - at);
        System.arraycopy(chunk, at, into, from, taken);
        at += taken;
        return taken;
    }

    @Override
    public void close() {
        place.giveBack();
    }

    private boolean isAtEnd() throws IOException {
        if (!begun) {
            begun = place.keep();
            if (!begun) {
                throw new IOException("an export began too late");
            }
        }
        while (at == chunk.length && !last) {
            take(next());
        }
        return at == chunk.length;
    }

    private Page<EgressEvent> next() throws IOException {
        Optional<String> position = after;
        try {
            return threads.submit(() -> pages.apply(position)).get();
        } catch (ExecutionException e) {
            throw failed(e.getCause());
        } catch (RejectedExecutionException e) {
            throw failed(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed(e);
        }
    }

    private IOException failed(@Nullable Throwable cause) {
        place.giveBack();
        LOG.warn("an export ends early", cause);
        return new IOException("an export cannot go on", cause);
    }

    private void take(Page<EgressEvent> page) {
        last = !page.hasMore();
        if (!page.rows().isEmpty()) {
            after = Optional.of(page.rows().getLast().id());
        }
        chunk = lines(page);
        at = 0;
    }

    private static byte[] lines(Page<EgressEvent> page) {
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        page.rows().forEach(event -> {
            lines.writeBytes(Json.bytes(event));
            lines.write('\n');
        });
        return lines.toByteArray();
    }
}
