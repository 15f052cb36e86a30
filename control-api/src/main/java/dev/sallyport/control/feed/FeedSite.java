package dev.sallyport.control.feed;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.control.model.Json;
import dev.sallyport.control.proxy.Proxies;
import dev.sallyport.control.proxy.SharedProxies;
import dev.sallyport.control.store.ChangeLog;
import dev.sallyport.control.store.Store;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;

/** What the connections of all proxies elsewhere have in common. Thread-safe. */
@Singleton
final class FeedSite {

    /** How often a proxy hears something. */
    static final Duration HEARTBEAT = Duration.ofSeconds(15);

    private final String epoch;
    private final Clock clock;
    private final Fanout fanout;
    private final Proxies proxies;
    private final SharedProxies shared;
    private final ChangeLog changes;
    private final FeedMeters meters;
    private final PipelineForms forms = new PipelineForms();
    private final SealedInFlight sealed = new SealedInFlight();

    FeedSite(
            Fanout fanout,
            Proxies proxies,
            SharedProxies shared,
            ChangeLog changes,
            Store store,
            Clock clock,
            FeedMeters meters) {
        this.epoch = store.epoch();
        this.clock = clock;
        this.fanout = fanout;
        this.proxies = proxies;
        this.shared = shared;
        this.changes = changes;
        this.meters = meters;
    }

    String epoch() {
        return epoch;
    }

    Fanout fanout() {
        return fanout;
    }

    Proxies proxies() {
        return proxies;
    }

    SharedProxies shared() {
        return shared;
    }

    ChangeLog changes() {
        return changes;
    }

    FeedMeters meters() {
        return meters;
    }

    PipelineForms forms() {
        return forms;
    }

    SealedInFlight sealed() {
        return sealed;
    }

    /** What an event says of the place that a proxy stands at. */
    ObjectNode position(long revision, String hash) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("epoch", epoch)
                .put("revision", revision)
                .put("hash", hash)
                .put("valid_until", validUntil());
    }

    /** Until when what a proxy hears now holds, unless it hears more. */
    String validUntil() {
        return Json.text(clock.instant().plus(HEARTBEAT.multipliedBy(3)));
    }
}
