package dev.sallyport.control.feed;

import dev.sallyport.control.account.ApiKeys;
import dev.sallyport.control.model.Faults;
import dev.sallyport.control.model.ProxyPassword;
import dev.sallyport.control.proxy.Proxies;
import dev.sallyport.control.proxy.SharedProxies;
import dev.sallyport.control.workload.Workloads;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the connected proxies that all accounts share up to date about which accounts there are, and who may come in for
 * each. While none is connected, nothing is read. Thread-safe.
 */
@Singleton
final class SharedCallers extends AccountFollower implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SharedCallers.class);

    private final Fanout fanout;
    private final Proxies proxies;
    private final SharedProxies shared;
    private final InstallationScopes scopes;
    private final Queue<SharedConnection> arriving = new ConcurrentLinkedQueue<>();
    private final List<SharedConnection> connected = new CopyOnWriteArrayList<>();
    private final ExecutorService thread = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("sallyport-control-shared").factory());

    // Of the thread of the rounds.
    private final Map<String, AccountCallers> present = new HashMap<>();
    private boolean read;

    SharedCallers(
            Fanout fanout,
            InstallationScopes scopes,
            Proxies proxies,
            SharedProxies shared,
            Workloads workloads,
            ApiKeys keys,
            Clock clock) {
        super(fanout, workloads, keys, clock);
        this.fanout = fanout;
        this.scopes = scopes;
        this.proxies = proxies;
        this.shared = shared;
        fanout.follow(this);
    }

    /** Has a proxy be served in the next round. */
    void arrive(SharedConnection connection) {
        arriving.add(connection);
        fanout.wake();
    }

    /** A connection has ended. */
    void leave(SharedConnection connection) {
        arriving.remove(connection);
        connected.remove(connection);
    }

    /** Does something for a connection, one after the other; what fails ends the connection, and the proxy makes another. */
    void run(SharedConnection connection, Runnable work) {
        try {
            thread.execute(() -> {
                try {
                    work.run();
                } catch (RuntimeException | Error e) {
                    Faults.survived(e);
                    LOG.error(
                            "proxy {} could not be served; it is to connect again",
                            connection.proxy().id(),
                            e);
                    connection.endAnswer();
                }
            });
        } catch (RejectedExecutionException e) {
            LOG.debug("the control plane has ended");
        }
    }

    /** Looks what proxies have told other processes of what they were sent by this one; blocks. */
    void lookElsewhere() {
        for (SharedConnection connection : connected) {
            try {
                connection.lookElsewhere();
            } catch (RuntimeException | Error e) {
                Faults.survived(e);
                LOG.warn(
                        "what proxy {} has told other processes cannot be read; it is tried again",
                        connection.proxy().id(),
                        e);
            }
        }
    }

    @Override
    public void changed(Set<String> organizations) {
        if (connected.isEmpty() && arriving.isEmpty()) {
            present.clear();
            forget();
            read = false;
            return;
        }
        if (read) {
            super.changed(organizations);
        } else if (!isRead()) {
            return;
        }
        if (organizations.contains(SharedProxies.INSTALLATION)) {
            connected.stream()
                    .filter(connection -> proxies.isRevoked(connection.proxy().id()))
                    .forEach(SharedConnection::revoke);
        }
        arriving.forEach(this::receive);
    }

    /** Whether all accounts could be read; else it is tried again, and nobody else waits for it. */
    private boolean isRead() {
        try {
            updateAll();
            read = true;
        } catch (RuntimeException | Error e) {
            Faults.survived(e);
            LOG.error("who may come in at shared proxies cannot be read; it is tried again", e);
        }
        return read;
    }

    /** One that cannot be received now is in the next round. */
    private void receive(SharedConnection connection) {
        try {
            begin(connection);
            arriving.remove(connection);
        } catch (RuntimeException | Error e) {
            Faults.survived(e);
            LOG.error(
                    "proxy {} cannot be served; it is tried again",
                    connection.proxy().id(),
                    e);
        }
    }

    private void begin(SharedConnection connection) {
        String id = connection.proxy().id();
        if (proxies.isRevoked(id)) { // since it has shown its token
            connection.revoke();
            return;
        }
        Set<String> fresh = new HashSet<>(present.keySet());
        fresh.removeAll(shared.served(id));
        if (!fresh.isEmpty()) {
            shared.serve(id, fresh);
        }
        connected.add(connection);
        connection.serve(present, scope(connection));
        if (connection.isOver()) { // meanwhile
            connection.leave();
        }
    }

    private SharedConnection.SharedScopes scope(SharedConnection connection) {
        return organization -> scopes.of(organization, connection.proxy().tags());
    }

    @Override
    void update(
            String organization, List<ProxyPassword> made, List<ProxyPassword> keyed, List<CompletionStage<?>> begun) {
        AccountCallers callers = AccountCallers.of(made, keyed);
        if (!callers.equals(present.get(organization))) {
            for (SharedConnection connection : connected) {
                if (callers.isEmpty()) {
                    begun.add(connection.remove(organization));
                } else {
                    if (!connection.serves(organization)) {
                        shared.serve(connection.proxy().id(), List.of(organization));
                    }
                    begun.add(connection.tell(organization, callers, scope(connection)));
                }
            }
            if (callers.isEmpty()) {
                present.remove(organization);
            } else {
                present.put(organization, callers);
            }
        }
        long unusable = made.stream()
                        .filter(each -> !AccountCallers.isUsable(each))
                        .count()
                + keyed.stream().filter(each -> !AccountCallers.isUsable(each)).count();
        if (unusable > 0) {
            throw new IllegalStateException(unusable + " passwords have no digest (expected: SHA-256, 32 bytes)");
        }
    }

    /** Tells no more. */
    @Override
    @PreDestroy
    public void close() {
        thread.shutdown();
    }
}
