package dev.sallyport.control.api;

import dev.sallyport.control.audit.EgressBatch;
import dev.sallyport.control.proxy.ProxyIdentity;
import dev.sallyport.control.proxy.SharedProxies;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Of the requests that a proxy has seen, those of which it may tell: one that accounts share, of accounts that it was
 * given; another, of its own. Thread-safe.
 */
final class TellableEvents {

    private static final Logger LOG = LoggerFactory.getLogger(TellableEvents.class);

    private final SharedProxies shared;

    TellableEvents(SharedProxies shared) {
        this.shared = shared;
    }

    /** Those of them that count, with their numbers; says in the log how many do not. */
    List<EgressBatch.Numbered> of(ProxyIdentity proxy, FeedController.Events sent) {
        Set<String> served = proxy.isShared()
                ? shared.served(
                        proxy.id(),
                        sent.events().stream()
                                .flatMap(seen -> Stream.ofNullable(seen.account()))
                                .collect(Collectors.toSet()))
                : Set.of();
        List<EgressBatch.Numbered> events = new ArrayList<>(sent.events().size());
        long position = sent.first();
        for (FeedController.Seen seen : sent.events()) {
            String account = proxy.isShared() ? seen.account() : proxy.organizationId();
            if (account != null && (!proxy.isShared() || served.contains(account))) {
                events.add(new EgressBatch.Numbered(position, account, seen.facts()));
            }
            position++;
        }
        if (events.size() < sent.events().size()) {
            LOG.warn(
                    "{} events of proxy {} are left out: they are of accounts that it was not given",
                    sent.events().size() - events.size(),
                    proxy.id());
        }
        return events;
    }
}
