package dev.sallyport.feed;

import dev.sallyport.core.CompanionContext;
import dev.sallyport.spi.ConfigException;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The events of this proxy, on their way from its audit records to the control plane: in a spool on disk, or in memory.
 * The spool is closed by the engine, with the sink, after the last record.
 */
final class EventDelivery implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(EventDelivery.class);

    private final ControlPlaneConfig config;
    private final CompanionContext context;
    private final ControlPlaneConnection connection;
    private final EventAccounts accounts;
    private final EventSink sink;
    private @Nullable EventSender sender;
    private @Nullable EventMeters meters;

    /** Registers the sink, for which only the making of a companion is early enough. */
    EventDelivery(
            ControlPlaneConfig config,
            CompanionContext context,
            ControlPlaneConnection connection,
            EventAccounts accounts) {
        this.config = config;
        this.context = context;
        this.connection = connection;
        this.accounts = accounts;
        this.sink = new EventSink(context.audit(), accounts);
        context.audit().sink(sink);
    }

    /** Opens the spool, before there is traffic. */
    void prepare() throws ConfigException {
        EventSpool spool = spool();
        sink.begin(spool);
        EventSender made = new EventSender(spool, sink, connection);
        sender = made;
        meters = new EventMeters(context.telemetry(), spool, sink, made);
    }

    private EventSpool spool() throws ConfigException {
        Path folder = config.spool();
        if (folder == null) {
            LOG.warn(
                    "events of egress wait in memory, and are lost with the process (expected: spool_dir or cache_dir)");
        }
        EventPlaces places = new EventPlaces(folder, connection.identity(), config.spoolCapacity());
        try {
            return accounts.equals(EventAccounts.OF_THE_PROXY)
                    ? places.common()
                    : AccountSpool.open(places, context.audit(), config.spoolCapacity());
        } catch (IOException e) {
            throw new ConfigException(
                            config.spoolDir() == null ? "/cache_dir" : "/spool_dir",
                            "events cannot wait there: " + e.getMessage(),
                            "a folder of this proxy alone")
                    .causedBy(e);
        }
    }

    void start() {
        EventSender prepared = sender;
        if (prepared != null) {
            prepared.start();
        }
    }

    /** Whether there is room for events. */
    boolean ready() {
        return !sink.isFull();
    }

    @Override
    public void close() {
        EventMeters open = meters;
        if (open != null) {
            open.close();
        }
        EventSender running = sender;
        if (running != null) {
            running.close();
        }
    }
}
